import { Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useText } from '@/i18n';
import { CopyText, Icon, Section } from '@/ui';
import { useCounts } from './count';
import { byName } from './CountList';
import styles from './Ledger.module.css';
import { ledgerMessages } from './messages';
import type { Counts } from './queries';

/** The number of writers displayed. An aggregate can have thousands; a filter finds the others by name. */
const maxShown = 8;

/** The writers of an aggregate that number their events, with their highest sequence. */
export function WriterPanel({ writers }: { writers: Counts }) {
  const t = useText(ledgerMessages);
  const { number } = useCounts();
  const [typed, setTyped] = useState('');
  const all = byName(writers);
  const found = all.filter(([name]) => name.toLowerCase().includes(typed.trim().toLowerCase()));
  return (
    <Section title={t('writers')} hint={t(all.length === 0 ? 'noWriters' : 'writersHint')}>
      {all.length > maxShown && (
        <TextInput
          type="search"
          size="sm"
          mb="xs"
          aria-label={t('findWriter')}
          placeholder={t('findWriter')}
          leftSection={<Icon name="search" />}
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
      )}
      {found.length > 0 && (
        <table className={styles.writers} aria-label={t('writers')}>
          <thead>
            <tr>
              <th scope="col">{t('writer')}</th>
              <th scope="col" data-align="end">
                {t('lastSequence')}
              </th>
            </tr>
          </thead>
          <tbody>
            {found.slice(0, maxShown).map(([name, sequence]) => (
              <tr key={name}>
                <td>
                  <CopyText text={name} label={`${t('writer')} ${name}`} />
                </td>
                <td data-align="end" className="tabular">
                  {number(sequence)}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {found.length === 0 && all.length > 0 && <Text role="status">{t('noSuchWriter')}</Text>}
      {found.length > maxShown && (
        <Text c="dimmed" size="sm" mt="xs">
          {t('writersLeft', { n: found.length - maxShown })}
        </Text>
      )}
    </Section>
  );
}
