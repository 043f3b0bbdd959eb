import { Button, Group, NativeSelect, Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useMay } from '@/api';
import { useFormat, useText } from '@/i18n';
import { dayIn } from '@/i18n/days';
import { Money, PageHeader, ProblemBanner, RecordLink, Section } from '@/ui';
import columns from '@/ui/record/Columns.module.css';
import { aDay, Choice, csv, download, FilterDay, readable, type Raw } from '@/ui/table';
import { useTableState } from '@/ui/table/useTableState';
import { Bars } from './Bars';
import { reportMessages } from './messages';
import { periodNames, periodsOn, type Period } from './periods';
import styles from './SalesPage.module.css';
import { groupings, salesReport, type ReportSearch, type SalesReport, type SalesRow } from './queries';

/** The sales report: orders, units and amounts by period, item or flash sale, with the totals. */
export function SalesPage({ search }: { search: Raw<ReportSearch> }) {
  const t = useText(reportMessages);
  const state = useTableState<ReportSearch>(search);
  const { by = 'day', from, to } = readable<ReportSearch>(search);
  // The reply to the default report names the shop's zone, which the days of a period need.
  const { data: latest, error: failed, refetch: again } = useQuery(salesReport({ by }));
  const hasPeriod = from !== undefined || to !== undefined;
  const period = useQuery({ ...salesReport({ by, from, to }, latest?.zone), enabled: hasPeriod && latest !== undefined && state.faults.length === 0 });
  const report = hasPeriod ? period.data : latest;
  const error = failed ?? period.error;
  return (
    <>
      <PageHeader title={t('title')}>{report !== undefined && <Export report={report} />}</PageHeader>
      <Group gap="xs" mb="sm">
        <Group gap="xs" role="group" aria-label={t('by')}>
          {groupings.map((one) => (
            <Choice key={one} isChosen={by === one} onChoose={() => state.set({ by: one === 'day' ? undefined : one })}>
              {t(`by_${one}`)}
            </Choice>
          ))}
        </Group>
        {latest !== undefined && (
          <PeriodChoice period={{ from, to }} today={lastDay(latest)} onChoose={(chosen) => state.set({ from: undefined, to: undefined, ...chosen })} />
        )}
        <FilterDay state={state} name="from" read={aDay} label={t('filterFrom')} mark={t('from')} standard={report && firstDay(report)} />
        <FilterDay state={state} name="to" read={aDay} label={t('filterTo')} mark={t('to')} standard={report && lastDay(report)} />
      </Group>
      {error !== null && <ProblemBanner error={error} retry={() => void (failed === null ? period.refetch() : again())} />}
      {report === undefined ? error === null && <Skeleton h={320} /> : <Report report={report} />}
    </>
  );
}

const firstDay = ({ zone, from }: SalesReport) => dayIn(zone, Date.parse(from));
// The last instant is the start of the next day.
const lastDay = ({ zone, to }: SalesReport) => dayIn(zone, Date.parse(to) - 1);

interface PeriodChoiceProps {
  period: Period;
  today: string;
  onChoose: (period: Period) => void;
}

/** The usual periods; others are chosen by their days. */
function PeriodChoice({ period, today, onChoose }: PeriodChoiceProps) {
  const t = useText(reportMessages);
  const periods = periodsOn(today);
  const chosen = periodNames.find((name) => periods[name].from === period.from && periods[name].to === period.to);
  return (
    <NativeSelect
      aria-label={t('period')}
      value={chosen ?? ''}
      data={[...(chosen === undefined ? [{ value: '', label: t('otherPeriod') }] : []), ...periodNames.map((name) => ({ value: name, label: t(name) }))]}
      onChange={(event) => {
        const name = periodNames.find((one) => one === event.currentTarget.value);
        if (name !== undefined) onChoose(periods[name]);
      }}
    />
  );
}

function Report({ report }: { report: SalesReport }) {
  const t = useText(reportMessages);
  const { money, date } = useFormat();
  const { rows, totals, by, zone } = report;
  const isTimed = by !== 'sku' && by !== 'sale';
  const written = (day: string) => date(`${day}T12:00:00`);
  const hint = t('hint', { from: written(firstDay(report)), to: written(lastDay(report)), zone });
  return (
    <div className={columns.main}>
      {isTimed && rows.length > 1 && (
        <Section title={t('overTime')}>
          <Bars
            title={t('net')}
            caption={money(totals.net ?? 0)}
            bars={rows.map(({ key, net }) => ({ label: key, value: net ?? 0 }))}
            write={money}
            tone="ok"
          />
        </Section>
      )}
      <Section title={t(`by_${by}`)} hint={hint}>
        <table className={`${columns.lines ?? ''} ${styles.report ?? ''}`}>
          <thead>
            <tr>
              <th scope="col">{t(`by_${by}`)}</th>
              <th scope="col">{t('orders')}</th>
              {(['units', 'gross', 'discounts', 'refunds', 'net'] as const).map((name) => (
                <th key={name} scope="col">
                  {t(name)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={row.key}>
                <th scope="row">
                  <RowName by={by} name={row.key} />
                </th>
                <Sums row={row} />
              </tr>
            ))}
          </tbody>
          <tfoot>
            <tr>
              <th scope="row">{t('totals')}</th>
              <Sums row={totals} />
            </tr>
          </tfoot>
        </table>
        {rows.length === 0 && <p>{t('none')}</p>}
      </Section>
    </div>
  );
}

function Sums({ row }: { row: Omit<SalesRow, 'key'> }) {
  const { number } = useFormat();
  return (
    <>
      <td>{number(row.orders)}</td>
      <td>{number(row.units)}</td>
      {[row.gross, row.discounts, row.refunds, row.net].map((minor, i) => (
        <td key={i}>{minor === null ? '–' : <Money minor={minor} />}</td>
      ))}
    </>
  );
}

function RowName({ by, name }: { by: SalesReport['by']; name: string }) {
  const t = useText(reportMessages);
  const may = useMay()('flash-sales:read');
  if (by === 'sku') return <RecordLink path={`items/${name}`}>{name}</RecordLink>;
  if (by !== 'sale') return name;
  if (name === '') return t('noSale');
  const label = t('sale', { id: name });
  return may ? (
    <Link to="/flash-sales/$id" params={{ id: name }}>
      {label}
    </Link>
  ) : (
    label
  );
}

function Export({ report: { by, rows, currency } }: { report: SalesReport }) {
  const t = useText(reportMessages);
  const { plainMoney } = useFormat();
  const save = () => {
    const head = [by, 'orders', 'units', ...(['gross', 'discounts', 'refunds', 'net'] as const).map((name) => `${name} (${currency})`)];
    const amount = (minor: number | null) => (minor === null ? '' : plainMoney(minor));
    const lines = rows.map((row) => [row.key, String(row.orders), String(row.units), ...[row.gross, row.discounts, row.refunds, row.net].map(amount)]);
    download(`sales-by-${by}.csv`, csv([head, ...lines]));
  };
  return <Button onClick={save}>{t('export')}</Button>;
}
