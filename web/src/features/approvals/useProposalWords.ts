import { useConfigWords } from '@/features/configs/useConfigWords';
import { useSaleWords } from '@/features/flash-sales/fields';
import { useFormat, useText } from '@/i18n';
import type { Value } from '@/merge';
import type { Words } from '@/ui';
import { approvalMessages } from './messages';

const places = ['userId', 'amount', 'kind', 'reference', 'balance', 'orderNo', 'method', 'reason', 'requestedBy', 'status'] as const;
const amounts: readonly string[] = ['amount', 'balance'];

/** How people read the places of what is proposed: those of a config, or of an entry or a refund, whose amounts are money. */
export function useProposalWords(resource: string): Words {
  const t = useText(approvalMessages);
  const { money } = useFormat();
  const config = useConfigWords();
  const sale = useSaleWords();
  if (resource.startsWith('config')) return config;
  if (resource.startsWith('flash-sales/')) return sale;
  return {
    place: (pointer) => {
      const name = places.find((one) => `/${one}` === pointer);
      return name === undefined ? pointer : t(`place_${name}`);
    },
    show: (value: Value, pointer) => {
      const minor = amounts.includes(pointer.slice(1)) && value !== undefined && value !== null ? Number(value) : NaN;
      return Number.isSafeInteger(minor) ? money(minor) : config.show(value, pointer);
    },
  };
}
