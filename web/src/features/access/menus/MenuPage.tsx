import { useDisclosure } from '@mantine/hooks';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useMay } from '@/api';
import { useText } from '@/i18n';
import { ActButton, changesOf, History, RecordPage, revisionsOf, StatusChip } from '@/ui';
import { useMenuName } from '@/ui/shell/pages';
import { CreateMenu } from './CreateMenu';
import { DeletedMenu } from './DeletedMenu';
import { placedContentOf, useMenuLabels, type MenuFields } from './fields';
import { MenuForm } from './MenuForm';
import { menuMessages } from './messages';
import { menuHistory, menuList, oneMenu, type Menu } from './queries';
import { acceptsChildren } from './tree';
import { useMenuWrites } from './useMenuWrites';

/** The page of a menu: its form and its history. */
export function MenuPage({ id }: { id: number }) {
  const t = useText(menuMessages);
  const labels = useMenuLabels();
  const query = useQuery(oneMenu(id));
  const nameOf = useMenuName();
  const [field, setField] = useState<string>();
  return (
    <RecordPage
      query={query}
      name={query.data === undefined ? `#${id}` : nameOf(query.data)}
      parent={{ to: '/menus', label: t('title') }}
      resource={`menus/${id}`}
      field={field}
      fieldLabel={(name) => labels.field(`/${name}`)}
      chips={({ hidden }) => hidden && <StatusChip>{t('isHidden')}</StatusChip>}
      actions={(menu) => <Actions menu={menu} />}
      renderDraft={(form: MenuFields, forget) => <DeletedMenu id={id} form={form} onSettled={forget} onForget={forget} />}
    >
      {(menu, { isDeleted: gone }) => (
        <>
          <MenuForm menu={menu} gone={gone} onField={setField} />
          {!gone && <Revisions id={id} />}
        </>
      )}
    </RecordPage>
  );
}

/** Adds a child menu; hides, shows and deletes the menu. */
function Actions({ menu }: { menu: Menu }) {
  const t = useText(menuMessages);
  const navigate = useNavigate();
  const { data: menus = [] } = useQuery(menuList);
  const [adding, { open, close }] = useDisclosure();
  const { setHidden, remove, isBusy } = useMenuWrites({ onRemoved: () => navigate({ to: '/menus' }) });
  if (!useMay()('menus:write')) return null;
  return (
    <>
      {acceptsChildren(menus, menu.id) && <ActButton onClick={open}>{t('addBelow')}</ActButton>}
      <ActButton disabled={isBusy} onClick={() => setHidden(menu, !menu.hidden)}>
        {t(menu.hidden ? 'show' : 'hide')}
      </ActButton>
      <ActButton color="bad" variant="subtle" disabled={isBusy} onClick={() => void remove(menu)}>
        {t('remove')}
      </ActButton>
      {adding && <CreateMenu below={menu} onClose={close} />}
    </>
  );
}

const actions = { create: 'onCreate', update: 'onUpdate', move: 'onMove' } as const;

/** Every version of a menu, with its changes and moves. */
function Revisions({ id }: { id: number }) {
  const t = useText(menuMessages);
  const nameOf = useMenuName();
  const { data: menus = [] } = useQuery(menuList);
  const query = useInfiniteQuery(menuHistory(id));
  const revisions = revisionsOf(query);
  const labels = useMenuLabels((other) => {
    const menu = menus.find((one) => one.id === other);
    return menu && nameOf(menu);
  });
  return (
    <History
      query={query}
      labels={labels}
      entries={revisions.map((revision, i) => ({
        ...revision,
        action: t(actions[revision.action]),
        changes: changesOf(revisions, i, placedContentOf),
      }))}
    />
  );
}
