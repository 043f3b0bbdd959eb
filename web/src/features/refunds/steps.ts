import type { Refund, RefundAction, StepInput } from './queries';

/** The member that a step asks for; approving asks for none. */
export const asks: Record<RefundAction, keyof StepInput | undefined> = {
  approve: undefined,
  reject: 'reason',
  settle: 'reference',
  fail: 'reason',
  unknown: 'reason',
};

/** What the buttons of the steps say. */
export const buttons = { approve: 'approve', reject: 'reject', settle: 'settle', fail: 'fail', unknown: 'markUnknown' } as const satisfies Record<
  RefundAction,
  string
>;

/** What is wrong with what is typed, before it is sent; the service keeps references that begin with @ for itself. */
export function faultOf(action: RefundAction, step: StepInput): 'needed' | 'noReserved' | undefined {
  const name = asks[action];
  if (name === undefined) return undefined;
  const text = step[name].trim();
  if (text === '') return 'needed';
  return name === 'reference' && text.startsWith('@') ? 'noReserved' : undefined;
}

/** Whether a refund is one's own, which somebody else has to approve. What the service has requested by itself is nobody's. */
export const isOwn = ({ requestedBy }: Pick<Refund, 'requestedBy'>, me: number): boolean => requestedBy.id !== 0 && requestedBy.id === me;
