import { Button, type ButtonProps } from '@mantine/core';
import { createContext, use } from 'react';
import { useAct } from './acts';

/** The name of the record on the page; undefined outside a record page. */
export const Subject = createContext<string | undefined>(undefined);

interface Props extends ButtonProps {
  /** Identifies an act that another page can request. */
  id?: string;
  /** The act: the text of the button and its entry in the command bar. */
  children: string;
  /** A single key that executes the act. */
  hotkey?: string;
  title?: string;
  onClick: () => void;
}

/** A button for an act of the page. While it is enabled, the command bar lists the act and its key executes it. */
export function ActButton({ id, children, hotkey, title, onClick, ...props }: Props) {
  const subject = use(Subject);
  const isOffered = props.disabled !== true && props.loading !== true;
  useAct(isOffered ? { id, label: children.replace(/…$/, ''), subject, hotkey, run: onClick } : undefined);
  return (
    <Button aria-keyshortcuts={hotkey} onClick={onClick} title={title ?? (hotkey && `${children} (${hotkey.toUpperCase()})`)} {...props}>
      {children}
    </Button>
  );
}
