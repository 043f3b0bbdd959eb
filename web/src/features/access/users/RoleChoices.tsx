import { Checkbox, Input, Loader, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useMay, useUser } from '@/api';
import { useText } from '@/i18n';
import { ProblemBanner } from '@/ui';
import { uiMessages } from '@/ui/messages';
import { GrantSummary } from '../GrantSummary';
import { lackedOf } from '../grants';
import { allRoles } from '../queries';
import { SetChoice } from '../SetChoice';
import { namesIn, spellSet } from '../sets';
import { userMessages } from './messages';
import styles from './RoleChoices.module.css';

interface Props {
  /** The selected set, serialized. */
  value: string;
  /** The saved set. */
  base?: string;
  error?: string | undefined;
  readOnly?: boolean;
  onChange: (value: string) => void;
}

/** All roles. A role with permissions that the user does not have is disabled, with an explanation. */
export function RoleChoices(props: Props) {
  const { value, base = '', error, readOnly = false } = props;
  const t = useText(userMessages);
  const ui = useText(uiMessages);
  const seesRoles = useMay()('access:read');
  const query = useQuery({ ...allRoles, enabled: seesRoles });
  const names = namesIn(value);
  if (!seesRoles && !readOnly) return <NamedRoles {...props} />;
  if (readOnly) {
    return (
      <Input.Wrapper label={t('roles')} labelElement="div">
        {names.length === 0 ? <Text c="dimmed">{t('rolesNoneHeld')}</Text> : <Text>{names.join(', ')}</Text>}
      </Input.Wrapper>
    );
  }
  const held = new Map((query.data ?? []).map((role) => [role.name, role.permissions]));
  // A role that was renamed or deleted since stays in the list, so that the user can remove it.
  const shown = [...new Set([...held.keys(), ...names, ...namesIn(base)])];
  return (
    <Checkbox.Group
      label={t('roles')}
      description={t('rolesHint')}
      error={error}
      value={names}
      onChange={(chosen) => props.onChange(spellSet(chosen))}
      aria-busy={query.isPending}
    >
      {query.error !== null && <ProblemBanner error={query.error} retry={() => void query.refetch()} />}
      {query.isPending && <Loader size="sm" role="img" aria-label={ui('loading')} />}
      {query.data?.length === 0 && <Text c="dimmed">{t('rolesNone')}</Text>}
      <div className={styles.roles}>
        {query.data !== undefined && shown.map((name) => <Row key={name} name={name} grants={held.get(name)} names={names} bases={namesIn(base)} />)}
      </div>
    </Checkbox.Group>
  );
}

interface RowProps {
  name: string;
  /** The permissions of the role; undefined if it no longer exists. */
  grants: readonly string[] | undefined;
  names: readonly string[];
  bases: readonly string[];
}

function Row({ name, grants = [], names, bases }: RowProps) {
  const t = useText(userMessages);
  const lacked = lackedOf(useUser().permissions, grants);
  return (
    <SetChoice
      set="roles"
      name={name}
      label={name}
      meaning={<GrantSummary grants={grants} />}
      isChosen={names.includes(name)}
      wasChosen={bases.includes(name)}
      lacks={lacked === undefined ? undefined : t('roleLacks', { permission: lacked })}
    />
  );
}

/** Roles by name, for users who may not list them. */
function NamedRoles({ value, error, onChange }: Props) {
  const t = useText(userMessages);
  const [text, setText] = useState(() => namesIn(value).join(', '));
  const [seen, setSeen] = useState(value);
  const read = (typed: string) => spellSet(typed.split(',').flatMap((name) => name.trim() || []));
  if (value !== seen) {
    setSeen(value);
    if (value !== read(text)) setText(namesIn(value).join(', '));
  }
  return (
    <TextInput
      data-field="roles"
      label={t('roles')}
      description={t('rolesNamed')}
      value={text}
      error={error}
      onChange={(event) => {
        setText(event.currentTarget.value);
        onChange(read(event.currentTarget.value));
      }}
    />
  );
}
