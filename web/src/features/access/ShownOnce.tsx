import { Button, Group, Stack, Text } from '@mantine/core';
import { useBlocker } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import { Banner, Dialog, Icon, useCopy } from '@/ui';
import styles from './ShownOnce.module.css';

interface Words {
  title: string;
  warning: string;
  hint: string;
  /** The name of the secret, such as "The token “deploy”". */
  secret: string;
  copy: string;
  copied: string;
  stored: string;
  /** Required with a `fileName`. */
  download?: string;
}

/**
 * A secret of one or more lines that is displayed only once. Only its button closes it: a click
 * outside, Escape and navigation are blocked, and the browser prompts before the page is closed or
 * reloaded. With `fileName` the secret can be downloaded; `children` explain its use.
 */
export function ShownOnce(props: { labels: Words; lines: readonly string[]; fileName?: string; onStored: () => void; children?: ReactNode }) {
  const { labels, lines, fileName, onStored, children } = props;
  const copy = useCopy();
  const [isCopied, setCopied] = useState(false);
  useBlocker({ shouldBlockFn: () => true, enableBeforeUnload: true });
  const text = lines.length === 1 ? lines.join('') : `${lines.join('\n')}\n`;
  const onCopy = async () => setCopied(await copy(text));
  return (
    <Dialog onClose={onStored} size="lg" title={labels.title} withCloseButton={false} closeOnEscape={false} closeOnClickOutside={false}>
      <Stack gap="md">
        <Banner tone="warn" title={labels.warning}>
          {labels.hint}
        </Banner>
        <div role="group" aria-label={labels.secret}>
          <Text fw={600} mb={4}>
            {labels.secret}
          </Text>
          <ul className={lines.length === 1 ? styles.line : styles.lines} data-secret>
            {lines.map((line) => (
              <li key={line}>
                <code>{line}</code>
              </li>
            ))}
          </ul>
        </div>
        {children}
        <Group justify="flex-end">
          {fileName && (
            <Button component="a" href={`data:text/plain;charset=utf-8,${encodeURIComponent(text)}`} download={fileName}>
              {labels.download}
            </Button>
          )}
          <Button variant="filled" leftSection={<Icon name={isCopied ? 'check' : 'copy'} />} onClick={() => void onCopy()} data-autofocus>
            {isCopied ? labels.copied : labels.copy}
          </Button>
          <Button onClick={onStored}>{labels.stored}</Button>
        </Group>
      </Stack>
    </Dialog>
  );
}
