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

/** The topics of records that can belong to a customer. */
const topics = ['orders', 'refunds', 'wallets', 'coupons'];

/** The timeline of a subject, with the records that the user may read. It updates automatically. */
export function Chained({ subject }: { subject: Subject }) {
  const t = useText(timelineMessages);
  const ui = useText(uiMessages);
  const may = useMay();
  const { kind, id } = subject;
  const { data, error, refetch } = useQuery({
    // The timeline of an order updates with that order; other timelines update with any record of
    // their topics, throttled like lists.
    queryKey: kind === 'order' ? ['orders', 'one', id, 'timeline'] : [topics, 'list', 'timeline', kind, id],
    queryFn: async ({ signal }) => stepsOf(await new Collector(may, signal).of(subject)),
  });
  return (
    <div aria-busy={data === undefined && error === null}>
      {error !== null && <ProblemBanner error={error} retry={() => void refetch()} />}
      {data === undefined && error === null && <Loader role="img" aria-label={ui('loading')} />}
      {data?.length === 0 && <Banner tone="info" title={t(kind === 'ticket' ? 'waiting' : 'nothing')} />}
      {data !== undefined && <Steps steps={data} requestedKey={kind === 'idempotency-key' ? id : undefined} />}
    </div>
  );
}
