import { useFormat, useTimeStyle } from '@/i18n';
import { useNow } from './now';

/** How long ago something was, with the exact time and its zone as the title; or the exact time itself, where one has chosen that. */
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
