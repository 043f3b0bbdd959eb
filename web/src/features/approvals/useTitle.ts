import type { Approval } from '@/api';
import { useFormat, useText } from '@/i18n';
import { at, encode, exact, ExactNumber, type Value } from '@/merge';
import { brief } from '@/ui/edit/Difference';
import { approvalMessages } from './messages';
import { changesIn } from './places';
import type { ApprovalRead } from './queries';
import { useProposalLabels } from './useProposalWords';

/** The name of the changed record: the last part of its path. */
const nameOf = ({ resource }: Pick<Approval, 'resource'>): string => decodeURIComponent(resource.slice(resource.indexOf('/') + 1));

/** Returns the title of an approval in a list, which does not contain the values. */
export function useTitle(): (approval: Pick<Approval, 'kind' | 'resource' | 'targetCount'>) => string {
  const t = useText(approvalMessages);
  return (approval) => t(`do_${approval.kind}`, { name: nameOf(approval), n: approval.targetCount });
}

const numberOf = (value: Value): number => (typeof value === 'number' || value instanceof ExactNumber ? Number(encode(value)) : NaN);

/** The title of an approval with its values, such as "Raise checkout.retries from 3 to 5". */
export function useFullTitle(approval: ApprovalRead): string {
  const t = useText(approvalMessages);
  const { money } = useFormat();
  const labels = useProposalLabels(approval.resource);
  const title = useTitle()(approval);
  const [side] = approval.sides ?? [];
  if (side === undefined || approval.targetCount !== 1) return title;
  const given = side.base === null ? undefined : at(exact(side.base), '/name');
  const name = typeof given === 'string' ? given : nameOf(approval);
  const [place, ...others] = changesIn(side).filter(({ isProposed }) => isProposed);
  if (approval.kind === 'refund.approve' && side.proposed !== null) {
    const amount = at(exact(side.proposed), '/amount');
    return t('do_refund', { name, amount: labels.show(amount, '/amount') });
  }
  if (place === undefined || others.length > 0 || side.base === null || side.proposed === null) return title;
  const { pointer, base, proposed } = place;
  const [before, after] = [numberOf(base), numberOf(proposed)];
  if (pointer === '/balance') return t(after > before ? 'do_credit' : 'do_debit', { name, amount: money(Math.abs(after - before)) });
  const field = pointer === '/value' ? name : approval.resource === 'settings' ? labels.field(pointer) : `${name}: ${labels.field(pointer)}`;
  const values = { field, before: brief(labels.show(base, pointer)), after: brief(labels.show(proposed, pointer)) };
  return t(after > before ? 'do_raise' : after < before ? 'do_lower' : 'do_set', values);
}
