import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMay } from '@/api';
import { useText } from '@/i18n';
import { allOf, everything, resourceOf } from './grants';
import styles from './GrantList.module.css';
import { accessMessages } from './messages';
import { catalogue } from './queries';
import { useMeaning } from './useMeaning';

/** What is held, with what each of it allows where that may be known. */
export function GrantList({ grants }: { grants: readonly string[] }) {
  const t = useText(accessMessages);
  const meaningOf = useMeaning();
  const { data: known } = useQuery({ ...catalogue, enabled: useMay()('access:read') });
  const meaningOfGrant = (grant: string): string => {
    if (grant === everything) return t('everythingHint');
    if (grant === allOf(resourceOf(grant))) return t('allOf', { resource: resourceOf(grant) });
    const permission = known?.find(({ name }) => name === grant);
    if (permission !== undefined) return meaningOf(permission);
    return known === undefined ? '' : t('strangersHint');
  };
  if (grants.length === 0) return <Text c="dimmed">{t('holdsNone')}</Text>;
  return (
    <ul className={styles.held}>
      {grants.map((grant) => (
        <li key={grant}>
          <code>{grant}</code>
          <span>{meaningOfGrant(grant)}</span>
        </li>
      ))}
    </ul>
  );
}
