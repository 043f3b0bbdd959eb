import { ActionIcon, Button, Group, Popover, Stack, Text, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useNavigate } from '@tanstack/react-router';
import { useState, type SubmitEvent } from 'react';
import { useText } from '@/i18n';
import { Icon } from '../Icon';
import { tableMessages } from './messages';
import { viewMembers } from './search';
import type { TableState } from './useTableState';
import { useSavedViews, type SavedView } from './views';

const longest = 60;

/** The saved views of a list: open, save, remove. */
export function SavedViews({ id, state }: { id: string; state: TableState }) {
  const t = useText(tableMessages);
  const navigate = useNavigate();
  const [opened, { toggle, close }] = useDisclosure();
  const { views, save, remove } = useSavedViews(id);
  const [name, setName] = useState('');
  const show = ({ search }: SavedView) => {
    close();
    // A drawer next to the list stays open.
    const rest = (before: Record<string, unknown>) => Object.fromEntries(Object.entries(before).filter(([member]) => viewMembers.includes(member)));
    void navigate({ to: '.', search: ((before: Record<string, unknown>) => ({ ...rest(before), ...search })) as never, resetScroll: false });
  };
  const onSubmit = (event: SubmitEvent) => {
    event.preventDefault();
    if (name.trim() === '') return;
    save(name.trim(), state.search);
    setName('');
  };
  return (
    <Popover opened={opened} onChange={(open) => !open && close()} position="bottom-end" width={300} shadow="md" trapFocus>
      <Popover.Target>
        <ActionIcon variant="default" size="input-sm" aria-label={t('views')} title={t('views')} onClick={toggle}>
          <Icon name="bookmark" />
        </ActionIcon>
      </Popover.Target>
      <Popover.Dropdown>
        <Stack gap="xs">
          {views.length === 0 && <Text c="dimmed">{t('noViews')}</Text>}
          {views.map((view) => (
            <Group key={view.name} gap={4} wrap="nowrap" justify="space-between">
              <Button variant="subtle" size="compact-md" onClick={() => show(view)}>
                {view.name}
              </Button>
              <ActionIcon variant="subtle" color="gray" c="dimmed" aria-label={t('removeView', { name: view.name })} onClick={() => remove(view.name)}>
                <Icon name="cross" size={14} />
              </ActionIcon>
            </Group>
          ))}
          <form onSubmit={onSubmit}>
            <Group gap="xs" wrap="nowrap" align="flex-end">
              <TextInput label={t('viewName')} value={name} maxLength={longest} onChange={(event) => setName(event.currentTarget.value)} />
              <Button type="submit">{t('saveView')}</Button>
            </Group>
          </form>
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}
