import { Menu, Text, UnstyledButton } from '@mantine/core';
import { signOut, useTenant, useUser } from '@/api';
import { useText } from '@/i18n';
import { useToasts } from '../feedback/toasts';
import { Avatar, initialsOf } from '../Person';
import { shellMessages } from './messages';

export function UserMenu() {
  const t = useText(shellMessages);
  const user = useUser();
  const tenant = useTenant();
  const toasts = useToasts();
  return (
    <Menu width={220} withinPortal={false}>
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
        <Menu.Divider />
        <Menu.Item component="a" href="/docs" target="_blank" rel="noreferrer">
          {t('apiDocs')}
        </Menu.Item>
        <Menu.Item onClick={() => void signOut().catch(toasts.failed)}>{t('signOut')}</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
