import { useInfiniteQuery } from '@tanstack/react-query';
import { useMay } from '@/api';
import { useText } from '@/i18n';
import { Comments as RecordComments } from '@/ui';
import { returnMessages } from './messages';
import { comment, returnComments } from './queries';

/** The comments of a return, which its customer cannot read. */
export function Comments({ id }: { id: number }) {
  const t = useText(returnMessages);
  const say = {
    resource: `returns/${id}`,
    name: t('return', { id: String(id) }),
    topics: ['returns'],
    hint: t('commentHint'),
    send: (text: string, key: string) => comment(id, text, key),
  };
  return <RecordComments query={useInfiniteQuery(returnComments(id))} newComment={useMay()('returns:write') ? say : undefined} />;
}
