import { useFormat, useTimeStyle } from '@/i18n';
import { useNow } from './now';

/** A relative time with the exact time and the zone as the title, or the exact time if the user has chosen it. */
export function When({ time }: { time: string }) {
  const { dateTime, zone } = useFormat();
  const isExact = useTimeStyle() !== 'ago';
  return (
    <time dateTime={time} title={`${dateTime(time)} (${zone})`}>
      {isExact ? dateTime(time) : <Ago time={time} />}
    </time>
  );
}

function Ago({ time }: { time: string }) {
  const { relative } = useFormat();
  return relative(time, useNow());
}
