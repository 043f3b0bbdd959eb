import { Menu, Text, UnstyledButton } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { signOut, useOwner, useTenant, useUser } from '@/api';
import { drafts } from '@/browser/drafts';
import { chooseTimeStyle, timeStyles, useText, useTimeStyle, type TimeStyle } from '@/i18n';
import { useAct } from '../acts/acts';
import { editMessages } from '../edit/messages';
import { useConfirm } from '../feedback/confirm';
import { useToasts } from '../feedback/toasts';
import { Avatar, initialsOf } from '../Person';
import { shellMessages } from './messages';

const DraftsDialog = lazy(async () => ({ default: (await import('./DraftsDialog')).DraftsDialog }));

/** The user and tenant, the drafts, the settings of this browser, and sign-out. */
export function UserMenu({ onKeys }: { onKeys: () => void }) {
  const t = useText(shellMessages);
  const edit = useText(editMessages);
  const times = useTimeStyle();
  const queries = useQueryClient();
  const user = useUser();
  const tenant = useTenant();
  const owner = useOwner();
  const toasts = useToasts();
  const ask = useConfirm();
  const [listing, setListing] = useState(false);
  const [count, setCount] = useState(0);
  const leave = async () => {
    const unfinished = drafts.list(owner);
    if (unfinished.length > 0) {
      const body = t('signOutBody', { n: unfinished.length, titles: unfinished.map(({ title }) => title).join(', ') });
      if ((await ask({ title: t('signOutTitle'), body, confirm: t('signOut'), tone: 'warn' })) === undefined) return;
    }
    await signOut().catch(toasts.failed);
  };
  useAct({ label: edit('myDrafts'), isGeneral: true, run: () => setListing(true) });
  useAct({ label: t('signOut'), isGeneral: true, run: () => void leave() });
  return (
    <>
      <Menu width={220} withinPortal={false} onOpen={() => setCount(drafts.list(owner).length)}>
        <Menu.Target>
          <UnstyledButton
            aria-label={`${initialsOf(user.displayName)} – ${t('userMenu', { name: user.displayName })}`}
            style={{ borderRadius: '50%', lineHeight: 0 }}
          >
            <Avatar person={{ id: user.id, name: user.displayName }} />
          </UnstyledButton>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Label>
            <Text component="span" display="block" fw={600} c="var(--il-text)">
              {user.displayName}
            </Text>
            <Text component="span" display="block" inherit>
              {[user.username, ...user.roles].join(' · ')}
            </Text>
            {t('tenant', { tenant })}
          </Menu.Label>
          <Menu.Item component={Link} to="/account">
            {t('account')}
          </Menu.Item>
          <Menu.Divider />
          <Menu.Label>{t('times')}</Menu.Label>
          <Menu.RadioGroup
            value={times}
            onChange={(style) => {
              chooseTimeStyle(style as TimeStyle);
              // In another time zone the days in list filters have other limits.
              void queries.invalidateQueries();
            }}
          >
            {timeStyles.map((style) => (
              <Menu.RadioItem key={style} value={style}>
                {t(`times_${style}`)}
              </Menu.RadioItem>
            ))}
          </Menu.RadioGroup>
          <Menu.Divider />
          <Menu.Item onClick={onKeys}>{t('keys')}</Menu.Item>
          <Menu.Item onClick={() => setListing(true)} rightSection={count > 0 && count}>
            {edit('myDrafts')}
          </Menu.Item>
          <Menu.Item component="a" href="/docs" target="_blank" rel="noreferrer">
            {t('apiDocs')}
          </Menu.Item>
          <Menu.Item onClick={() => void leave()}>{t('signOut')}</Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {listing && (
        <Suspense>
          <DraftsDialog onClose={() => setListing(false)} />
        </Suspense>
      )}
    </>
  );
}
