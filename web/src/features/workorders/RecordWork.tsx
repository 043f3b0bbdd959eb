import { Button } from '@mantine/core';
import { lazy, Suspense, useState } from 'react';
import { useMay } from '@/api';
import { useText } from '@/i18n';
import { isLink } from './opening';
import { recordWorkMessages } from './recordWorkMessages';

const OpenDialog = lazy(async () => ({ default: (await import('./OpenDialog')).OpenDialog }));

/** The button on every record page that creates a work order. Its dialog is loaded on demand. */
export function RecordWork({ resource }: { resource: string }) {
  const t = useText(recordWorkMessages);
  const may = useMay()('work-orders:write');
  const [opening, setOpening] = useState(false);
  // On the page of a work order the button is not needed.
  if (!may || !isLink(resource) || resource.startsWith('work-orders/')) return null;
  return (
    <>
      <Button onClick={() => setOpening(true)}>{t('open')}</Button>
      {opening && (
        <Suspense>
          <OpenDialog about={resource} onClose={() => setOpening(false)} />
        </Suspense>
      )}
    </>
  );
}
