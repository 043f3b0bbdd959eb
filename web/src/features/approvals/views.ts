/** The views of the approval list. */
export const views = ['toDecide', 'mine', 'scheduled', 'mineStale', 'toReview'] as const;
