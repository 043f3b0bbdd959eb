import { useConfigLabels } from '@/features/configs/useConfigWords';
import { useSaleLabels } from '@/features/flash-sales/fields';
import { refundMessages } from '@/features/refunds/messages';
import { useSettingsLabels } from '@/features/settings/fields';
import { useFormat, useText } from '@/i18n';
import type { Value } from '@/merge';
import type { Labels } from '@/ui';
import { approvalMessages } from './messages';

const places = ['userId', 'amount', 'kind', 'reference', 'balance', 'orderNo', 'method', 'reason', 'requestedBy', 'status'] as const;
const amounts: readonly string[] = ['amount', 'balance'];
/** The values of a refund that have labels. */
const ofRefunds = ['requested', 'approved', 'rejected', 'settled', 'failed', 'unknown', 'wallet', 'external'] as const;

/** The labels and values of a proposal: those of a config or a sale, or those of a wallet entry or a refund, with amounts as money. */
export function useProposalLabels(resource: string): Labels {
  const t = useText(approvalMessages);
  const refund = useText(refundMessages);
  const { money } = useFormat();
  const config = useConfigLabels();
  const sale = useSaleLabels();
  const settings = useSettingsLabels();
  if (resource.startsWith('config')) return config;
  if (resource.startsWith('flash-sales/')) return sale;
  if (resource === 'settings') return settings;
  return {
    field: (pointer) => {
      const name = places.find((one) => `/${one}` === pointer);
      return name === undefined ? pointer : t(`place_${name}`);
    },
    show: (value: Value, pointer) => {
      const minor = amounts.includes(pointer.slice(1)) && value !== undefined && value !== null ? Number(value) : NaN;
      if (Number.isSafeInteger(minor)) return money(minor);
      const word = pointer === '/status' || pointer === '/method' ? ofRefunds.find((one) => one === value) : undefined;
      return word === undefined ? config.show(value, pointer) : refund(word);
    },
  };
}
