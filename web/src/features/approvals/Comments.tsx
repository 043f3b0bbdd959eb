import { useInfiniteQuery } from '@tanstack/react-query';
import { useMay } from '@/api';
import { useText } from '@/i18n';
import { Comments as RecordComments } from '@/ui';
import { grantsOf } from './grants';
import { approvalMessages } from './messages';
import { approvalComments, comment, type ApprovalRead } from './queries';

/** The comments of an approval; its participants can add more. */
export function Comments({ approval: { id, kind } }: { approval: ApprovalRead }) {
  const t = useText(approvalMessages);
  const may = useMay();
  const say = {
    resource: `approvals/${id}`,
    name: t('approval', { id: String(id) }),
    topics: ['approvals'],
    send: (text: string, key: string) => comment(id, text, key),
  };
  return <RecordComments query={useInfiniteQuery(approvalComments(id))} newComment={may('approvals:decide') || may(grantsOf(kind).write) ? say : undefined} />;
}
