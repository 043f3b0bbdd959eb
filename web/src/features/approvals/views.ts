/** What of the approvals waits for whom. */
export const views = ['toDecide', 'mine', 'scheduled', 'mineStale', 'toReview'] as const;
