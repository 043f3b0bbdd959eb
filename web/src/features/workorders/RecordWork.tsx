import { Button } from '@mantine/core';
import { lazy, Suspense, useState } from 'react';
import { useMay } from '@/api';
import { useText } from '@/i18n';
import { isLink } from './opening';
import { recordWorkMessages } from './recordWorkMessages';

const OpenDialog = lazy(async () => ({ default: (await import('./OpenDialog')).OpenDialog }));

/** Opens a work order about the record whose page this is. It stands on the page of every record, and its dialog is loaded when it is wanted. */
export function RecordWork({ resource }: { resource: string }) {
  const t = useText(recordWorkMessages);
  const may = useMay()('work-orders:write');
  const [opening, setOpening] = useState(false);
  // From a work order one goes on with that one.
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
