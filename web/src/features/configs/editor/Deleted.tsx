import { Button } from '@mantine/core';
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { isProblem, useIdempotencyKey, useMay } from '@/api';
import { useText } from '@/i18n';
import type { JsonObject } from '@/merge';
import { Banner, ProblemBanner, useToasts, When } from '@/ui';
import type { Config } from '../queries';
import { contentOrError, FormError, type ConfigForm } from './form';
import { editorMessages } from './messages';
import { configHistory, recreateConfig } from './queries';
import { useWords } from './words';

interface Props {
  configKey: string;
  form: ConfigForm;
  hint: string;
  onRecreated: (record: Config) => void;
  /** Forgets what was typed; undefined where the page itself can be left. */
  onForget?: () => void;
}

/** The config was deleted: who did it, and what can become of what was typed. */
export function Deleted({ configKey, form, hint, onRecreated, onForget }: Props) {
  const t = useText(editorMessages);
  const toasts = useToasts();
  const queries = useQueryClient();
  const { who } = useWords();
  const { data } = useInfiniteQuery(configHistory(configKey));
  const last = data?.pages[0]?.items[0];
  const mayWrite = useMay()('configs:write');
  const { key: idempotencyKey, renew } = useIdempotencyKey(`configs/${configKey}/recreate`);
  const content = contentOrError(form);
  const recreate = useMutation({
    mutationFn: (made: JsonObject) => recreateConfig(configKey, made, idempotencyKey),
    onSuccess: (record) => {
      renew();
      onRecreated(record);
      toasts.done(t('recreated', { key: configKey }));
    },
    onError: (error) => {
      if (!isProblem(error) || !error.isOutcomeUnknown) renew();
      // Somebody else was faster: theirs is what this form is compared with now.
      if (isProblem(error, 'already_exists')) void queries.invalidateQueries({ queryKey: ['configs', 'one', configKey] });
    },
  });
  const copy = () => {
    const text = content instanceof FormError || form.valueType === 'string' ? form.value : form.value.trim();
    navigator.clipboard.writeText(text).then(
      () => toasts.done(t('copied')),
      () => toasts.info(t('copyFailed')),
    );
  };
  const title = last?.action === 'delete' ? t.rich('deletedBy', { who: who(last.changedBy), when: <When time={last.changedTime} /> }) : t('deleted');
  return (
    <>
      <Banner
        tone="bad"
        title={title}
        action={
          <>
            <Button onClick={copy}>{t('copy')}</Button>
            {onForget !== undefined && <Button onClick={onForget}>{t('forget')}</Button>}
            {mayWrite && (
              <Button
                variant="filled"
                disabled={content instanceof FormError}
                loading={recreate.isPending}
                onClick={() => !(content instanceof FormError) && recreate.mutate(content)}
              >
                {t('recreate')}
              </Button>
            )}
          </>
        }
      >
        {hint}
      </Banner>
      {recreate.error !== null && <ProblemBanner error={recreate.error} />}
    </>
  );
}
