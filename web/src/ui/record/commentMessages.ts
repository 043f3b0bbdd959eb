import { catalogue } from '@/i18n';

export const commentMessages = catalogue(
  {
    comments: 'Comments',
    noComments: 'Nobody has said anything yet.',
    earlier: 'Earlier ones',
    say: 'Comment',
    sayConfirm: 'Say it',
    sayTitle: 'Comment on {name}',
    said: 'Said.',
  },
  {
    comments: '评论',
    noComments: '还没有评论。',
    earlier: '更早的评论',
    say: '评论',
    sayConfirm: '发表',
    sayTitle: '评论 {name}',
    said: '已发表。',
  },
);
