import { Button, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useText } from '@/i18n';
import { Person, Section, When } from '@/ui';
import { useCounts } from './count';
import { byName } from './CountList';
import styles from './Ledger.module.css';
import { ledgerMessages } from './messages';
import type { Aggregate } from './queries';

/** The number of counters displayed before the user expands the list. */
const shownAtFirst = 12;

/** The counters of an aggregate. */
export function CounterPanel({ aggregate }: { aggregate: Aggregate }) {
  const t = useText(ledgerMessages);
  const { number } = useCounts();
  const [whole, { toggle }] = useDisclosure();
  const all = byName(aggregate.counters);
  return (
    <Section title={t('counters')} hint={t('countersHint', { version: String(aggregate.version) })}>
      {all.length === 0 && <Text>{t('noCounters')}</Text>}
      <dl className={styles.numbers}>
        {(whole ? all : all.slice(0, shownAtFirst)).map(([name, count]) => (
          <div key={name}>
            <dt className="mono">{name}</dt>
            <dd className="tabular">{number(count)}</dd>
          </div>
        ))}
      </dl>
      {all.length > shownAtFirst && (
        <Button variant="subtle" size="compact-sm" mt="xs" onClick={toggle}>
          {whole ? t('fewer') : t('all', { n: all.length })}
        </Button>
      )}
      <Text size="sm" c="dimmed" mt="sm" component="div">
        {t('lastChange')} <When time={aggregate.updatedTime} /> · <Person person={aggregate.updatedBy} /> · {t('since')} <When time={aggregate.createdTime} />
      </Text>
    </Section>
  );
}
