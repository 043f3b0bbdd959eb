import { catalogue } from '@/i18n';

export const commentMessages = catalogue(
  {
    comments: 'Comments',
    noComments: 'No comments yet.',
    earlier: 'Earlier comments',
    comment: 'Comment',
    postComment: 'Post comment',
    commentTitle: 'Comment on {name}',
    commentPosted: 'Comment posted.',
  },
  {
    comments: '评论',
    noComments: '还没有评论。',
    earlier: '更早的评论',
    comment: '评论',
    postComment: '发表',
    commentTitle: '评论 {name}',
    commentPosted: '评论已发表。',
  },
);
