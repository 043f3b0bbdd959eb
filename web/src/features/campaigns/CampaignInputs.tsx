import { NativeSelect, SimpleGrid, Stack, TextInput, type InputWrapperProps } from '@mantine/core';
import { useText } from '@/i18n';
import { useFaults } from '@/ui';
import { MoneyInput } from '@/ui/MoneyInput';
import { TimeInput } from '@/ui/TimeInput';
import { WholeInput } from '@/ui/WholeInput';
import { discountOf, spellDiscount, type CampaignKind } from './discount';
import type { Faults } from './faults';
import type { CampaignField, CampaignFields } from './fields';
import { campaignMessages } from './messages';

interface Props {
  value: CampaignFields;
  onChange: (change: Partial<CampaignFields>) => void;
  /** The fault of a field; undefined before the first attempt to save. */
  errorOf: (field: CampaignField) => string | undefined;
  readOnly?: boolean;
}

const maxNameLength = 100;
/** Adjacent inputs align, with or without a hint. */
const hintBelow: InputWrapperProps['inputWrapperOrder'] = ['label', 'input', 'description', 'error'];

const fields = ['name', 'discount', 'minimumAmount', 'total', 'perUser', 'validFrom', 'validTo'] as const satisfies readonly CampaignField[];

/** The faults of a campaign's inputs; kind and value share one input. */
export function useCampaignFaults(form: { strict: boolean; error: Error | null }, faults: Faults) {
  const t = useText(campaignMessages);
  return useFaults(
    form,
    fields,
    (field) => faults[field] !== undefined && t(faults[field]),
    (field) => (field === 'discount' ? ['kind', 'value'] : [field]),
  );
}

export function CampaignInputs({ value, onChange, errorOf, readOnly = false }: Props) {
  const t = useText(campaignMessages);
  const time = (field: 'validFrom' | 'validTo') => (
    <TimeInput
      data-field={field}
      label={t(field)}
      readOnly={readOnly}
      time={value[field]}
      error={errorOf(field)}
      onTime={(typed) => onChange({ [field]: typed })}
    />
  );
  const count = (field: 'total' | 'perUser') => (
    <WholeInput
      data-field={field}
      label={t(field)}
      readOnly={readOnly}
      value={value[field]}
      error={errorOf(field)}
      onChange={(typed) => onChange({ [field]: typed })}
    />
  );
  return (
    <Stack gap="md">
      <TextInput
        data-field="name"
        label={t('name')}
        maxLength={maxNameLength}
        readOnly={readOnly}
        value={value.name}
        error={errorOf('name')}
        onChange={(event) => onChange({ name: event.currentTarget.value })}
        data-autofocus
      />
      <SimpleGrid cols={{ base: 1, xs: 3 }} spacing="md">
        <DiscountInputs spelled={value.discount} error={errorOf('discount')} readOnly={readOnly} onChange={(discount) => onChange({ discount })} />
        <MoneyInput
          data-field="minimumAmount"
          label={t('minimum')}
          description={t('minimumHint')}
          inputWrapperOrder={hintBelow}
          readOnly={readOnly}
          minor={value.minimumAmount}
          error={errorOf('minimumAmount')}
          onMinor={(minimumAmount) => onChange({ minimumAmount })}
        />
      </SimpleGrid>
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="md">
        {count('total')}
        {count('perUser')}
        {time('validFrom')}
        {time('validTo')}
      </SimpleGrid>
    </Stack>
  );
}

interface DiscountProps {
  spelled: string;
  onChange: (spelled: string) => void;
  error: string | undefined;
  readOnly: boolean;
}

function DiscountInputs({ spelled, onChange, error, readOnly }: DiscountProps) {
  const t = useText(campaignMessages);
  const { kind, value } = discountOf(spelled);
  return (
    <>
      <NativeSelect
        data-field="discount"
        label={t('kind')}
        disabled={readOnly}
        value={kind}
        data={[
          { value: 'amount', label: t('amount') },
          { value: 'percent', label: t('percent') },
        ]}
        // The value is cleared, because it has another meaning for the other kind.
        onChange={(event) => onChange(spellDiscount({ kind: event.currentTarget.value as CampaignKind, value: null }))}
      />
      {kind === 'amount' ? (
        <MoneyInput
          data-field="discount"
          label={t('valueAmount')}
          readOnly={readOnly}
          minor={value}
          error={error}
          onMinor={(minor) => onChange(spellDiscount({ kind, value: minor }))}
        />
      ) : (
        <WholeInput
          data-field="discount"
          label={t('valuePercent')}
          readOnly={readOnly}
          suffix="%"
          value={value}
          error={error}
          onChange={(percent) => onChange(spellDiscount({ kind, value: percent }))}
        />
      )}
    </>
  );
}
