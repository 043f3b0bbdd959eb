import { useText } from '@/i18n';
import { encode } from '@/merge';
import type { Labels } from '@/ui';
import { isWithheld } from './editor/form';
import { configMessages } from './messages';
import type { Contents } from '@/features/descriptor';
import { configResource } from './resource';

/** The labels and values of a config: Remark for /remark, and the key path within the value for /value/retries. */
export function useConfigLabels(): Labels {
  const t = useText(configMessages);
  const labels: Readonly<Record<string, string>> = {
    value: t('value'),
    valueType: t('type'),
    remark: t('remark'),
    schema: t('schema'),
    protected: t('protected'),
    secret: t('secret'),
  };
  return {
    field: (pointer) => {
      const [, member = '', ...inner] = pointer.split('/');
      const label = labels[member] ?? pointer;
      if (inner.length === 0) return label;
      return member === 'value' ? `/${inner.join('/')}` : `${label} /${inner.join('/')}`;
    },
    show: (value, pointer) => {
      if ((pointer === '/protected' || pointer === '/secret') && typeof value === 'boolean') return t(value ? 'yes' : 'no');
      if (isWithheld(value)) return t('hiddenValue');
      if (value === undefined) return t('absent');
      if (value === '') return t('emptyText');
      return typeof value === 'string' ? value : encode(value);
    },
  };
}

/** The content in the audit log. */
export const configContents: Contents = { noun: configResource.noun, useLabels: useConfigLabels };
