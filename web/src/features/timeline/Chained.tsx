import { Loader } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMay } from '@/api';
import { useText } from '@/i18n';
import { Banner, ProblemBanner } from '@/ui';
import { uiMessages } from '@/ui/messages';
import { Collector, type Subject } from './collect';
import { timelineMessages } from './messages';
import { Steps } from './Steps';
import { stepsOf } from './steps';

/** What belongs to a customer, or may. */
const topics = ['orders', 'refunds', 'wallets', 'coupons'];

/** All that happened to a subject as far as it may be read, on its own page and on those of others. It goes on by itself. */
export function Chained({ subject }: { subject: Subject }) {
  const t = useText(timelineMessages);
  const ui = useText(uiMessages);
  const may = useMay();
  const { kind, id } = subject;
  const { data, error, refetch } = useQuery({
    // Of an order it goes on as that order does; of others as some record of theirs may, in bursts as lists do.
    queryKey: kind === 'order' ? ['orders', 'one', id, 'timeline'] : [topics, 'list', 'timeline', kind, id],
    queryFn: async ({ signal }) => stepsOf(await new Collector(may, signal).of(subject)),
  });
  return (
    <div aria-busy={data === undefined && error === null}>
      {error !== null && <ProblemBanner error={error} retry={() => void refetch()} />}
      {data === undefined && error === null && <Loader role="img" aria-label={ui('loading')} />}
      {data?.length === 0 && <Banner tone="info" title={t(kind === 'ticket' ? 'waiting' : 'nothing')} />}
      {data !== undefined && <Steps steps={data} asked={kind === 'idempotency-key' ? id : undefined} />}
    </div>
  );
}
