import { useInfiniteQuery } from '@tanstack/react-query';
import { useText } from '@/i18n';
import { RevisionList } from '@/ui/history/RevisionList';
import { readRevision, useRevisionTexts } from './fields';
import { campaignMessages } from './messages';
import { campaignHistory } from './queries';

const words = { create: 'onCreate', update: 'onUpdate', issue: 'onIssue' } as const;

/** Every version of a campaign, with what it changed; issuing makes one too. */
export function CampaignRevisions({ id }: { id: number }) {
  const t = useText(campaignMessages);
  const { data, error, refetch, hasNextPage, fetchNextPage } = useInfiniteQuery(campaignHistory(id));
  return (
    <RevisionList
      texts={useRevisionTexts()}
      revisions={data?.pages.flatMap(({ items }) =>
        items.map((revision) => ({ ...revision, action: t(words[revision.action]), value: readRevision(revision) })),
      )}
      error={error}
      retry={() => void refetch()}
      older={hasNextPage ? () => void fetchNextPage() : undefined}
    />
  );
}
