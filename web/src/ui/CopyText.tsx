import { ActionIcon } from '@mantine/core';
import { useText } from '@/i18n';
import styles from './CopyText.module.css';
import { useToasts } from './feedback/toasts';
import { Icon } from './Icon';
import { uiMessages } from './messages';

interface Props {
  text: string;
  /** The label of the text, such as "Event id", for the button. */
  label: string;
}

/** A key or an id in monospace, with a button that copies it. */
export function CopyText({ text, label }: Props) {
  return (
    <span className={styles.copy}>
      <span className="mono">{text}</span>
      <CopyButton text={text} label={label} />
    </span>
  );
}

/** Copies a text and shows the outcome; resolves to whether it was copied. */
export function useCopy(): (text: string) => Promise<boolean> {
  const t = useText(uiMessages);
  const toasts = useToasts();
  return async (text) => {
    try {
      await navigator.clipboard.writeText(text);
      toasts.done(t('copied'));
      return true;
    } catch {
      // The clipboard is only available in pages that were loaded over TLS or from localhost.
      toasts.info(t('copyRefused'));
      return false;
    }
  };
}

/** A button that copies the adjacent text. */
export function CopyButton({ text, label }: Props) {
  const t = useText(uiMessages);
  const copy = useCopy();
  const name = `${t('copy')}: ${label}`;
  return (
    <ActionIcon variant="subtle" color="gray" c="dimmed" size="sm" aria-label={name} title={name} onClick={() => void copy(text)}>
      <Icon name="copy" size={14} />
    </ActionIcon>
  );
}
