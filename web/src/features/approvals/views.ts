/** What of the approvals waits for whom. */
export const views = ['toDecide', 'mine', 'mineStale', 'toReview'] as const;
