import { Button, Checkbox, NativeSelect, SimpleGrid, Stack, Text } from '@mantine/core';
import { useFormat, useText } from '@/i18n';
import { Banner } from '../feedback/Banner';
import { bulkMessages } from './messages';
import { isUsable, rowUse, type ChosenLayout, type RowColumn, type ShownTable } from './rowValues';

interface Props {
  shown: ShownTable;
  columns: readonly RowColumn[];
  /** The label of the column that identifies the row. */
  rowName: string;
  onLayout: (layout: ChosenLayout) => void;
}

/** An editor for the use of each column and the decimal separator. It prompts for the use if the first line does not name the columns. */
export function TableLayout({ shown: { preview, layout, isRequested }, columns, rowName, onLayout }: Props) {
  const t = useText(bulkMessages);
  const { list } = useFormat();
  const { hasHead, uses } = layout;
  const firstOf = ({ header, example }: (typeof preview.columns)[number]) => header || example;
  const heads = preview.columns.map(firstOf);
  const nameOf = (i: number) => (hasHead && heads[i]) || t('columnNo', { n: i + 1 });
  const named = (isIncluded: (use: string | null) => boolean) => list(uses.flatMap((use, i) => (isIncluded(use) ? nameOf(i) : [])));
  const change = (part: Partial<ChosenLayout>) => onLayout({ ...layout, ...part, isConfirmed: !isRequested });
  const choose = (at: number, use: string | null) =>
    change({ uses: uses.map((before, i) => (i === at ? use : use !== null && before === use ? null : before)) });
  const passedOver = named((use) => use === null);
  const decimal = layout.decimal ?? preview.decimal;
  const isDoubtful = layout.decimal !== undefined || preview.rejected.some(({ code }) => code === 'ambiguous_number' || code === 'number');
  return (
    <Stack gap="xs" role="group" aria-label={t('columns')}>
      {isRequested ? (
        <Banner
          tone="warn"
          title={t('assignColumns')}
          action={
            <Button disabled={!isUsable(layout, columns)} onClick={() => onLayout({ ...layout, isConfirmed: true })}>
              {t('apply')}
            </Button>
          }
        >
          {t('assignColumnsHint', { first: heads.join(' | ') })}
        </Banner>
      ) : (
        <Text role="status">
          {t('used', { columns: named((use) => use !== null) })} {passedOver !== '' && t('ignoredColumns', { columns: passedOver })}
        </Text>
      )}
      <Text c="dimmed">
        {t(preview.separator)} {decimal !== null && t(`decimal_${decimal}`)}
      </Text>
      <SimpleGrid cols={{ base: 1, xs: 2, md: 3 }} spacing="xs">
        {uses.map((use, i) => (
          <NativeSelect
            key={i}
            label={nameOf(i)}
            description={(hasHead && preview.columns[i]?.header === '' ? '' : preview.columns[i]?.example) || '–'}
            data={[
              { value: rowUse, label: rowName },
              ...columns.map(({ name, label, isNeeded }) => ({ value: name, label: isNeeded ? `${label} *` : label })),
              { value: '', label: t('notUsed') },
            ]}
            value={use ?? ''}
            onChange={(event) => choose(i, event.currentTarget.value || null)}
          />
        ))}
        {isDoubtful && (
          <NativeSelect
            label={t('decimal')}
            data={[{ value: '', label: t('detect') }, ...(['point', 'comma'] as const).map((value) => ({ value, label: t(`decimal_${value}`) }))]}
            value={layout.decimal ?? ''}
            onChange={(event) => change({ decimal: (event.currentTarget.value || undefined) as ChosenLayout['decimal'] })}
          />
        )}
      </SimpleGrid>
      <Checkbox label={t('hasHead')} checked={hasHead} onChange={(event) => change({ hasHead: event.currentTarget.checked })} />
    </Stack>
  );
}
