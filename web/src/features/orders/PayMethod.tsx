import { Radio, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMay } from '@/api';
import { oneWallet } from '@/features/wallets/queries';
import { useFormat, useText } from '@/i18n';
import { orderMessages } from './messages';
import type { Order, StepInput } from './queries';

/** The balance of the customer's wallet, and the missing amount for the payment of an order; undefined while it is unknown. */
export function useFunds({ userId, amount }: Pick<Order, 'userId' | 'amount'>, isAsked: boolean): { balance: number; short: number } | undefined {
  const { data } = useQuery({ ...oneWallet(userId), enabled: useMay()('wallets:read') && isAsked });
  return data && { balance: data.balance, short: Math.max(0, amount - data.balance) };
}

interface Props {
  order: Order;
  method: StepInput['method'];
  onChange: (part: Pick<StepInput, 'method'>) => void;
  disabled: boolean;
}

/** Selects the source of the payment: external, or the customer's wallet. */
export function PayMethod({ order, method, onChange, disabled }: Props) {
  const t = useText(orderMessages);
  const { money } = useFormat();
  const funds = useFunds(order, true);
  return (
    <Stack gap="xs">
      <Radio.Group label={t('payBy')} value={method} onChange={(value) => onChange({ method: value === 'wallet' ? 'wallet' : 'external' })}>
        <Stack gap={6} mt={4}>
          <Radio value="external" label={t('payExternal')} disabled={disabled} />
          <Radio
            value="wallet"
            label={t('payFromWallet', { user: order.userId })}
            description={funds && t('walletHas', { balance: money(funds.balance) })}
            disabled={disabled}
          />
        </Stack>
      </Radio.Group>
      {method === 'wallet' && funds !== undefined && (
        <Text role="status" c={funds.short > 0 ? 'var(--il-bad)' : 'dimmed'}>
          {funds.short > 0 ? t('walletShort', { short: money(funds.short) }) : t('walletAfter', { balance: money(funds.balance - order.amount) })}
        </Text>
      )}
    </Stack>
  );
}
