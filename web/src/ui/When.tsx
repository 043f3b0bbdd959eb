import { useFormat } from '@/i18n';
import { useNow } from './now';

/** How long ago something was, with the exact time as its title. */
export function When({ time }: { time: string }) {
  const format = useFormat();
  const now = useNow();
  return (
    <time dateTime={time} title={format.dateTime(time)}>
      {format.relative(time, now)}
    </time>
  );
}
