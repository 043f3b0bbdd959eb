import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useMay } from '@/api';
import { useText } from '@/i18n';
import type { Kind } from './kinds';
import { deletedMessages } from './messages';

/** Links from a list to its deleted records. */
export function DeletedLink({ kind }: { kind: Kind }) {
  const t = useText(deletedMessages);
  if (!useMay()('audit:read')) return null;
  return (
    <Button variant="subtle" renderRoot={(props) => <Link {...props} to="/deleted" search={{ kind }} />}>
      {t('link')}
    </Button>
  );
}
