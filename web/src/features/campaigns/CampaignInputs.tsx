import { NativeSelect, NumberInput, SimpleGrid, Stack, TextInput, type InputWrapperProps } from '@mantine/core';
import type { FocusEvent } from 'react';
import { useText } from '@/i18n';
import { MoneyInput } from '@/ui/MoneyInput';
import { discountOf, spellDiscount, type CampaignKind } from './discount';
import type { Faults } from './faults';
import type { CampaignField, CampaignFields } from './fields';
import { fromLocal, toLocal } from './localTime';
import { campaignMessages } from './messages';

interface Props {
  value: CampaignFields;
  onChange: (change: Partial<CampaignFields>) => void;
  /** What to say of the fields; nothing before somebody tried to save. */
  faults: Faults;
  readOnly?: boolean;
  /** Tells which field somebody is on; undefined when none. */
  onField?: (field: CampaignField | undefined) => void;
}

const longestName = 100;
/** Inputs side by side stand on one line, whether they have a hint or not. */
const hintBelow: InputWrapperProps['inputWrapperOrder'] = ['label', 'input', 'description', 'error'];

/** The inputs of a campaign. */
export function CampaignInputs({ value, onChange, faults, readOnly = false, onField }: Props) {
  const t = useText(campaignMessages);
  const fault = (field: CampaignField) => faults[field] !== undefined && t(faults[field]);
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const focused = (event: FocusEvent<HTMLElement>) => onField?.(event.target.closest<HTMLElement>('[data-field]')?.dataset.field as CampaignField | undefined);
  const time = (field: 'validFrom' | 'validTo') => (
    <TextInput
      data-field={field}
      type="datetime-local"
      label={t(field)}
      description={t('zone', { zone })}
      inputWrapperOrder={hintBelow}
      readOnly={readOnly}
      value={value[field] === null ? '' : toLocal(value[field])}
      error={fault(field)}
      onChange={(event) => onChange({ [field]: fromLocal(event.currentTarget.value) })}
    />
  );
  const count = (field: 'total' | 'perUser') => (
    <NumberInput
      data-field={field}
      label={t(field)}
      readOnly={readOnly}
      hideControls
      allowDecimal={false}
      allowNegative={false}
      value={value[field] ?? ''}
      error={fault(field)}
      onChange={(typed) => onChange({ [field]: wholeOf(typed) })}
    />
  );
  return (
    <Stack gap="md" onFocus={focused} onBlur={() => onField?.(undefined)}>
      <TextInput
        data-field="name"
        label={t('name')}
        maxLength={longestName}
        readOnly={readOnly}
        value={value.name}
        error={fault('name')}
        onChange={(event) => onChange({ name: event.currentTarget.value })}
        data-autofocus
      />
      <SimpleGrid cols={{ base: 1, xs: 3 }} spacing="md">
        <DiscountInputs spelled={value.discount} error={fault('discount')} readOnly={readOnly} onChange={(discount) => onChange({ discount })} />
        <MoneyInput
          data-field="minimumAmount"
          label={t('minimum')}
          description={t('minimumHint')}
          inputWrapperOrder={hintBelow}
          readOnly={readOnly}
          minor={value.minimumAmount}
          error={fault('minimumAmount')}
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
  error: string | false;
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
        // A number of the one kind means something else in the other.
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
        <NumberInput
          data-field="discount"
          label={t('valuePercent')}
          readOnly={readOnly}
          hideControls
          allowDecimal={false}
          allowNegative={false}
          suffix="%"
          value={value ?? ''}
          error={error}
          onChange={(typed) => onChange(spellDiscount({ kind, value: wholeOf(typed) }))}
        />
      )}
    </>
  );
}

const wholeOf = (typed: string | number): number | null => (typed === '' || !Number.isSafeInteger(Number(typed)) || Number(typed) === 0 ? null : Number(typed));
