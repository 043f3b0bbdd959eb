import { expect, test } from 'vitest';
import { votesLeft, type Approval } from './proposal';

const vote = (verdict: 'approve' | 'reject', stands: boolean) => ({ verdict, stands }) as Approval['votes'][number];

test.each([
  [2, [], 2],
  [2, [vote('approve', true)], 1],
  [2, [vote('approve', false)], 2],
  [1, [vote('reject', true)], 1],
  [1, [vote('approve', true), vote('approve', true)], 0],
])('%i required votes with %j leave %i', (required, votes, left) => {
  expect(votesLeft({ required, votes })).toBe(left);
});
