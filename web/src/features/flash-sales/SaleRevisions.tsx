import { useInfiniteQuery } from '@tanstack/react-query';
import { useText } from '@/i18n';
import { RevisionList } from '@/ui/history/RevisionList';
import { shortened } from './DeadDialog';
import { readRevision, useRevisionTexts } from './fields';
import { saleMessages } from './messages';
import { saleHistory, type SaleRevision } from './queries';

/** Every version of a sale with what it changed; decisions on dead letters are among them. */
export function SaleRevisions({ id }: { id: number }) {
  const t = useText(saleMessages);
  const { data, error, refetch, hasNextPage, fetchNextPage } = useInfiniteQuery(saleHistory(id));
  const say = ({ action, note }: SaleRevision): string => {
    switch (action) {
      case 'create':
        return t('onCreate');
      case 'update':
        return t('onUpdate');
      case 'open':
        return t('onOpen');
      case 'pause':
        return t('onPause');
      case 'resume':
        return t('onResume');
      case 'close':
        return t('onClose');
      case 'retry_dead':
        return t('onRetry', { ticket: shortened(note) });
      case 'discard_dead':
        return t('onDiscard', { ticket: shortened(note) });
    }
  };
  return (
    <RevisionList
      texts={useRevisionTexts()}
      revisions={data?.pages.flatMap(({ items }) => items.map((revision) => ({ ...revision, action: say(revision), value: readRevision(revision) })))}
      error={error}
      retry={() => void refetch()}
      older={hasNextPage ? () => void fetchNextPage() : undefined}
    />
  );
}
