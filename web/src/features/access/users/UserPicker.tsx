import { Select } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { readUsers } from './queries';

const pause = 150;
const offered = 20;

interface Props {
  label: string;
  description?: string;
  userId: number | null;
  onChange: (userId: number | null) => void;
  error?: ReactNode;
  disabled?: boolean;
}

/** Selects an enabled user by name or by the start of it. */
export function UserPicker({ userId, onChange, ...input }: Props) {
  const [typed, setTyped] = useState('');
  const [settled] = useDebouncedValue(typed.trim(), pause);
  const { data } = useQuery({
    queryKey: ['users', 'list', 'to choose', settled],
    queryFn: ({ signal }) => readUsers({ ...(settled === '' ? {} : { q: settled }), disabled: false, limit: offered }, signal),
    placeholderData: keepPreviousData,
  });
  const users = data?.items.map(({ id, displayName, username }) => ({ value: String(id), label: `${displayName} · ${username}` })) ?? [];
  return (
    <Select
      {...input}
      searchable
      openOnFocus={false}
      // The service has already filtered.
      filter={({ options }) => options}
      data={users}
      comboboxProps={{ withinPortal: true }}
      value={userId === null ? null : String(userId)}
      onChange={(value) => onChange(value === null ? null : Number(value))}
      onSearchChange={(text) => setTyped(users.some(({ label }) => label === text) ? '' : text)}
    />
  );
}
