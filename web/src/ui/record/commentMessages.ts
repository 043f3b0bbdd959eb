import { catalogue } from '@/i18n';

export const commentMessages = catalogue(
  {
    comments: 'Comments',
    noComments: 'No comments yet.',
    earlier: 'Earlier comments',
    say: 'Comment',
    sayConfirm: 'Post comment',
    sayTitle: 'Comment on {name}',
    said: 'Comment posted.',
  },
  {
    comments: '评论',
    noComments: '还没有评论。',
    earlier: '更早的评论',
    say: '评论',
    sayConfirm: '发表',
    sayTitle: '评论 {name}',
    said: '评论已发表。',
  },
);
