import { Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useMay, useUser } from '@/api';
import { useText } from '@/i18n';
import { Icon, ProblemBanner, StatusChip } from '@/ui';
import { allOf, covers, everything, groupsOf, unknownGrants, widerThan, type Group } from './grants';
import { GrantList } from './GrantList';
import { accessMessages } from './messages';
import styles from './PermissionChoices.module.css';
import { catalogue } from './queries';
import { SetChoice } from './SetChoice';
import { namesIn, withName } from './sets';
import { useMeaning } from './useMeaning';

interface Props {
  /** The member of the record. */
  set: 'permissions' | 'scopes';
  /** The selected set, serialized. */
  value: string;
  /** The saved set. */
  base?: string;
  error?: string | undefined;
  readOnly?: boolean;
  /** Whether the set contains the scopes of a token for another user. Such a token cannot decide on proposals. */
  forAnother?: boolean;
  onChange: (value: string) => void;
}

/** All permissions, by resource. Permissions that the user does not have are disabled, with an explanation. */
export function PermissionChoices(props: Props) {
  const { value, base = '', error, readOnly = false } = props;
  const t = useText(accessMessages);
  const meaningOf = useMeaning();
  const mine = useUser().permissions;
  const seesAll = useMay()('access:read');
  const query = useQuery({ ...catalogue, enabled: seesAll });
  const [sought, setSought] = useState('');
  // Users who may not read the catalogue see the names of their permissions.
  const known = query.data ?? (seesAll ? [] : mine.filter((name) => name !== everything).map((name) => ({ name, meaning: '' })));
  const names = namesIn(value);
  const deciding = known.filter((permission) => 'decides' in permission && permission.decides === true).map(({ name }) => name);
  const matches = (...texts: string[]) => texts.some((text) => text.toLowerCase().includes(sought.trim().toLowerCase()));
  const groups = groupsOf(known)
    .map<Group>(({ resource, permissions }) => ({
      resource,
      permissions: permissions.filter(
        (permission) => permission.name !== allOf(resource) && matches(permission.name, permission.meaning, meaningOf(permission)),
      ),
    }))
    .filter(({ resource, permissions }) => permissions.length > 0 || matches(allOf(resource)));
  const unknown = query.data === undefined ? [] : unknownGrants([...new Set([...names, ...namesIn(base)])], query.data);
  if (query.error !== null) return <ProblemBanner error={query.error} retry={() => void query.refetch()} />;
  if (readOnly) return <GrantList grants={names} />;
  const row = (grant: string, meaning: string) => (
    <Row key={grant} {...props} grant={grant} meaning={meaning} names={names} bases={namesIn(base)} mine={mine} deciding={deciding} />
  );
  return (
    <Stack gap="md" aria-busy={seesAll && query.isPending}>
      <TextInput
        type="search"
        aria-label={t('find')}
        placeholder={t('find')}
        leftSection={<Icon name="search" />}
        value={sought}
        onChange={(event) => setSought(event.currentTarget.value)}
        // Enter must not submit the surrounding form.
        onKeyDown={(event) => event.key === 'Enter' && event.preventDefault()}
      />
      {error !== undefined && (
        <p className={styles.error} role="alert" tabIndex={-1} data-invalid>
          {error}
        </p>
      )}
      {matches(everything, t('everything')) && row(everything, t('everythingHint'))}
      {groups.length === 0 && sought !== '' && <Text c="dimmed">{t('noneFound')}</Text>}
      <div className={styles.groups}>
        {groups.map(({ resource, permissions }) => (
          <fieldset key={resource} className={styles.group}>
            <legend className="mono">{resource}</legend>
            <div className={styles.rows}>
              {row(allOf(resource), t('allOf', { resource }))}
              {permissions.map((permission) => row(permission.name, meaningOf(permission)))}
            </div>
          </fieldset>
        ))}
        {unknown.length > 0 && (
          <fieldset className={styles.group}>
            <legend>{t('strangers')}</legend>
            <div className={styles.rows}>{unknown.map((grant) => row(grant, t('strangersHint')))}</div>
          </fieldset>
        )}
      </div>
    </Stack>
  );
}

interface RowProps extends Props {
  grant: string;
  meaning: string;
  names: readonly string[];
  bases: readonly string[];
  mine: readonly string[];
  /** The permissions to decide on proposals of others. */
  deciding: readonly string[];
}

function Row({ set, value, forAnother = false, onChange, grant, meaning, names, bases, mine, deciding }: RowProps) {
  const t = useText(accessMessages);
  const isChosen = names.includes(grant);
  const wasChosen = bases.includes(grant);
  const wider = isChosen ? undefined : widerThan(names, grant);
  const isAll = grant === everything;
  return (
    <SetChoice
      set={set}
      name={grant}
      label={
        <>
          {isAll && t('everything')} <code>{grant}</code>
        </>
      }
      title={isAll ? `${t('everything')} *` : grant}
      meaning={meaning}
      isChosen={isChosen}
      wasChosen={wasChosen}
      isNew={set === 'scopes'}
      lacks={forAnother && deciding.some((name) => covers([grant], name)) ? t('decides') : covers(mine, grant) ? undefined : t('notYours')}
      mark={wider !== undefined && <StatusChip>{t('within', { wider })}</StatusChip>}
      onChange={(isIn) => onChange(withName(value, grant, isIn))}
    />
  );
}
