import { Button, FileButton, Text } from '@mantine/core';
import { useState, type DragEvent } from 'react';
import { useText } from '@/i18n';
import { Icon } from '@/ui';
import styles from './Import.module.css';
import { importMessages } from './messages';

/** Accepts a dropped or selected file. */
export function FilePicker({ chosen, onFile }: { chosen: boolean; onFile: (file: File) => void }) {
  const t = useText(importMessages);
  const [over, setOver] = useState(false);
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    const file = event.dataTransfer.files[0];
    if (file !== undefined) onFile(file);
  };
  return (
    <div
      className={styles.drop}
      data-over={over || undefined}
      data-small={chosen || undefined}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
    >
      {!chosen && (
        <>
          <Icon name="download" size={24} />
          <Text fw={600}>{t('drop')}</Text>
          <Text c="dimmed" ta="center">
            {t('dropHint')}
          </Text>
        </>
      )}
      <FileButton onChange={(file) => file !== null && onFile(file)} inputProps={{ 'aria-label': t('choose') }}>
        {(props) => (
          <Button {...props} data-autofocus={!chosen || undefined}>
            {t(chosen ? 'another' : 'choose')}
          </Button>
        )}
      </FileButton>
    </div>
  );
}
