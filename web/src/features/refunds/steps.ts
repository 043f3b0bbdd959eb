import type { Refund, RefundAction, StepInput } from './queries';

/** The input of each transition; undefined for a transition without input. */
export const asks: Record<RefundAction, keyof StepInput | undefined> = {
  approve: undefined,
  reject: 'reason',
  settle: 'reference',
  fail: 'reason',
  unknown: 'reason',
};

/** The labels of the buttons. */
export const buttons = { approve: 'approve', reject: 'reject', settle: 'settle', fail: 'fail', unknown: 'markUnknown' } as const satisfies Record<
  RefundAction,
  string
>;

/** The fault of an input; the service reserves references that start with `@`. */
export function faultOf(action: RefundAction, step: StepInput): 'needed' | 'noReserved' | undefined {
  const name = asks[action];
  if (name === undefined) return undefined;
  const text = step[name].trim();
  if (text === '') return 'needed';
  return name === 'reference' && text.startsWith('@') ? 'noReserved' : undefined;
}

/**
 * Whether the current user requested the refund, so that another user has to approve it. It is
 * false for a refund that the service requested.
 */
export const isOwn = ({ requestedBy }: Pick<Refund, 'requestedBy'>, me: number): boolean => requestedBy.id !== 0 && requestedBy.id === me;
