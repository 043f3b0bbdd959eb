import type { ReactNode } from 'react';
import { useMay } from '@/api';
import { useText } from '@/i18n';
import { FullPage } from '../feedback/FullPage';
import { uiMessages } from '../messages';
import { useOpenPage } from './pages';

/** Renders the open page if the user has its permission. The service checks again. */
export function PermissionGate({ children }: { children: ReactNode }) {
  const t = useText(uiMessages);
  const may = useMay();
  const page = useOpenPage();
  if (may(page?.permission)) return children;
  return <FullPage title={t('forbiddenTitle')} hint={t('forbiddenHint', { permission: page?.permission ?? '' })} />;
}
