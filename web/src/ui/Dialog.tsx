import { Drawer, Modal, type DrawerProps, type ModalProps } from '@mantine/core';
import { useEffect, useState } from 'react';
import { useText } from '@/i18n';
import { uiMessages } from './messages';

/** A dialog that is open while it is rendered. When it closes, the focus returns to the element that opened it. */
export function Dialog(props: Omit<ModalProps, 'opened'>) {
  const t = useText(uiMessages);
  useReturnFocus();
  return <Modal opened closeButtonProps={{ 'aria-label': t('close') }} {...props} />;
}

/** A drawer next to its list, like Dialog. */
export function SideDrawer(props: Omit<DrawerProps, 'opened'>) {
  const t = useText(uiMessages);
  useReturnFocus();
  return <Drawer opened position="right" closeButtonProps={{ 'aria-label': t('close') }} {...props} />;
}

/** Mantine returns the focus only for a dialog that stays rendered while it is closed. */
function useReturnFocus(): void {
  const [opener] = useState(() => openerOf(document.activeElement));
  useEffect(
    () => () => {
      // The dialog is removed first. An action may have moved the focus elsewhere.
      setTimeout(() => {
        if (document.activeElement === null || document.activeElement === document.body) opener?.focus({ preventScroll: true });
      });
    },
    [opener],
  );
}

/** The focused element; for an item of a menu, which closes with the choice, the button of the menu. */
function openerOf(focused: Element | null): HTMLElement | undefined {
  const menu = focused?.closest('[role=menu]');
  const opener = menu ? document.getElementById(menu.getAttribute('aria-labelledby') ?? '') : focused;
  return opener instanceof HTMLElement && opener !== document.body ? opener : undefined;
}
