import { useInfiniteQuery } from '@tanstack/react-query';
import { useText } from '@/i18n';
import { RevisionList } from '@/ui/history/RevisionList';
import { readFields, useRevisionTexts } from './fields';
import { itemMessages } from './messages';
import { itemHistory } from './queries';

/** Every version of an item, with what it changed. */
export function ItemRevisions({ sku }: { sku: string }) {
  const t = useText(itemMessages);
  const { data, error, refetch, hasNextPage, fetchNextPage } = useInfiniteQuery(itemHistory(sku));
  return (
    <RevisionList
      texts={useRevisionTexts()}
      revisions={data?.pages.flatMap(({ items }) =>
        items.map((revision) => ({
          ...revision,
          action: t(revision.action === 'create' ? 'created' : 'edited'),
          value: { ...readFields(revision), status: revision.status },
        })),
      )}
      error={error}
      retry={() => void refetch()}
      older={hasNextPage ? () => void fetchNextPage() : undefined}
    />
  );
}
