import { Paper, Text, Title } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useMay } from '@/api';
import { useText } from '@/i18n';
import { RecordForm, useRecordForm } from '@/ui';
import { useMenuName } from '@/ui/shell/pages';
import { DeletedMenu } from './DeletedMenu';
import { contentOf, formOf, isComplete, readFields, useMenuLabels, type MenuFields } from './fields';
import { isMenuInput, MenuInputs } from './MenuInputs';
import { menuMessages } from './messages';
import { editMenu, oneMenu, type Menu } from './queries';

interface Props {
  menu: Menu;
  /** Whether the menu was deleted while the page was open. */
  gone: boolean;
  /** The field with the focus. */
  onField: (field: string | undefined) => void;
}

export function MenuForm({ menu, gone, onField }: Props) {
  const t = useText(menuMessages);
  const queries = useQueryClient();
  const nameOf = useMenuName();
  const mayWrite = useMay()('menus:write');
  const { id } = menu;
  const editing = useRecordForm<Menu, MenuFields>({
    resource: `menus/${id}`,
    title: nameOf(menu),
    current: menu,
    labels: useMenuLabels(),
    read: readFields,
    contentOf,
    formOf,
    isComplete,
    send: (patch, etag, key) => editMenu(id, patch, etag, key),
    onRecord: (saved) => {
      queries.setQueryData(oneMenu(id).queryKey, saved);
      ['menus', 'navigation'].forEach((topic) => void queries.invalidateQueries({ queryKey: [topic] }));
    },
  });
  const { draft, strict, error } = editing;
  return (
    <Paper component="section" p="lg" aria-labelledby="terms">
      <RecordForm
        editing={editing}
        missingPermission={mayWrite ? undefined : 'menus:write'}
        hasInput={isMenuInput}
        onField={onField}
        wide
        head={
          <div>
            <Title order={2} id="terms">
              {t('terms')}
            </Title>
            {mayWrite && !gone && <Text c="dimmed">{t('termsHint')}</Text>}
          </div>
        }
        deletedNotice={gone ? <DeletedMenu id={id} form={draft.value} onSettled={editing.discard} /> : undefined}
      >
        <MenuInputs value={draft.value} strict={strict} error={error} readOnly={!mayWrite} onChange={editing.change} />
      </RecordForm>
    </Paper>
  );
}
