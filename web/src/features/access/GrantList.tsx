import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useId } from 'react';
import { useMay } from '@/api';
import { useText } from '@/i18n';
import { allOf, everything, groupsOf, resourceOf, widestOf } from './grants';
import styles from './GrantList.module.css';
import { accessMessages } from './messages';
import { catalogue } from './queries';
import { useMeaning } from './useMeaning';

/** The granted permissions, with their meanings if the user may read the catalogue. */
export function GrantList({ grants }: { grants: readonly string[] }) {
  const t = useText(accessMessages);
  if (grants.length === 0) return <Text c="dimmed">{t('holdsNone')}</Text>;
  return <Grants grants={grants} />;
}

/** The granted permissions by resource, without grants that a wider grant covers. */
export function GrantGroups({ grants }: { grants: readonly string[] }) {
  const t = useText(accessMessages);
  const id = useId();
  const groups = groupsOf(widestOf(grants).map((name) => ({ name })));
  if (groups.length === 0) return <Text c="dimmed">{t('holdsNone')}</Text>;
  return (
    <div className={styles.groups}>
      {groups.map(({ resource, permissions }) => (
        <section key={resource} aria-labelledby={`${id}-${resource}`}>
          <h3 id={`${id}-${resource}`} className={styles.resource}>
            {resource === everything ? t('everything') : resource}
          </h3>
          <Grants grants={permissions.map(({ name }) => name)} />
        </section>
      ))}
    </div>
  );
}

function Grants({ grants }: { grants: readonly string[] }) {
  const t = useText(accessMessages);
  const meaningOf = useMeaning();
  const { data: known } = useQuery({ ...catalogue, enabled: useMay()('access:read') });
  const meaningOfGrant = (grant: string): string => {
    if (grant === everything) return t('everythingHint');
    if (grant === allOf(resourceOf(grant))) return t('allOf', { resource: resourceOf(grant) });
    if (known === undefined) return meaningOf({ name: grant, meaning: '' });
    const permission = known.find(({ name }) => name === grant);
    return permission === undefined ? t('strangersHint') : meaningOf(permission);
  };
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
