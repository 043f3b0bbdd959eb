import { Button, Paper, Stack, Text } from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import type { FocusEvent, SubmitEvent } from 'react';
import { useMay } from '@/api';
import { useText } from '@/i18n';
import { useConfirm, useToasts, type Present } from '@/ui';
import { ConflictPanel } from '../conflict/ConflictPanel';
import { conflictMessages } from '../conflict/messages';
import { HistoryPanel } from '../history/HistoryPanel';
import type { Config } from '../queries';
import { ConfigFields } from './ConfigFields';
import { Deleted } from './Deleted';
import styles from './Editor.module.css';
import { choicesOf, FormError, withChoices } from './form';
import { editorMessages } from './messages';
import { Notices } from './Notices';
import type { Outcome } from './save';
import type { Editing } from './useConfigEditing';
import { useWords } from './words';

interface Props {
  config: Config;
  editing: Editing;
  gone: boolean;
  mayWrite: boolean;
  present: readonly Present[];
  /** Which field has the focus. */
  onField: (field: string | undefined) => void;
}

/** The form of a config, or both sides of its conflict, beside the newest versions. */
export function ConfigEditor({ config, editing, gone, mayWrite, present, onField }: Props) {
  const t = useText(editorMessages);
  const c = useText(conflictMessages);
  const mayOverwrite = useMay()('configs:overwrite');
  const ask = useConfirm();
  const toasts = useToasts();
  const { who } = useWords();
  const { draft, base, mine, changes, theirs, isComparing, save } = editing;
  const form = draft.value;
  const shownVersion = String(theirs?.version ?? draft.base.version);
  const next = String((theirs?.version ?? draft.base.version) + 1);

  const undo = (record: Config) =>
    void editing
      .takeBack(record, t('undoNote', { version: String(record.version) }))
      .then(() => toasts.done(t('undone', { version: String(record.version) })), toasts.failed);
  const tell = (outcome: Outcome) => {
    if (outcome.kind === 'same') toasts.info(t('same', { who: who(outcome.record.updatedBy) }));
    if (outcome.kind === 'saved' && outcome.kept === undefined) {
      const { record } = outcome;
      toasts.done(t('savedAs', { version: String(record.version) }), () => undo(record));
    }
  };
  const submit = () => {
    if (mayWrite && !gone && !isComparing) editing.saveForm(tell);
  };
  useHotkeys([['mod+S', submit]], [], true);
  const discard = async () => {
    const sure = await ask({ title: t('discardTitle'), body: t('discardBody', { version: shownVersion }), confirm: t('discardConfirm'), tone: 'bad' });
    if (sure !== undefined) editing.discard();
  };
  const overwrite = async ({ updatedBy, version }: Config) => {
    const sure = await ask({
      title: c('overwriteTitle', { who: who(updatedBy) }),
      body: c('overwriteBody', { next, base: String(draft.base.version) }),
      confirm: c('overwriteConfirm', { version: String(version) }),
      tone: 'bad',
      reason: 'required',
    });
    if (sure !== undefined) editing.overwrite(sure.reason, tell);
  };
  const onFocus = ({ target }: FocusEvent<HTMLElement>) => onField(target.closest<HTMLElement>('[data-field]')?.dataset.field);
  const onBlur = ({ relatedTarget, currentTarget }: FocusEvent<HTMLElement>) => {
    if (!currentTarget.contains(relatedTarget)) onField(undefined);
  };
  const isEdited = changes === undefined || changes.length > 0;
  return (
    <div className={styles.columns}>
      <Stack gap="md" className={styles.main}>
        {gone && <Deleted configKey={config.key} form={form} hint={t('deletedHint')} onRecreated={editing.adopt} />}
        {isComparing && theirs !== undefined && !(mine instanceof FormError) && !gone ? (
          <ConflictPanel
            base={base}
            baseVersion={draft.base.version}
            mine={mine}
            theirs={theirs}
            choices={choicesOf(form)}
            saving={save.isPending}
            error={editing.isRefusalCurrent ? save.error : null}
            onChoose={(choices) => draft.setValue((before) => withChoices(before, choices))}
            onSave={(merged) => editing.saveResolved(merged, theirs, tell)}
            onBack={() => editing.setComparing(false)}
            onOverwrite={mayOverwrite ? () => void overwrite(theirs) : undefined}
            onDiscard={() => void discard()}
          />
        ) : (
          <>
            {!gone && <Notices editing={editing} config={config} />}
            <Paper
              component="form"
              aria-label={t('form', { key: config.key })}
              className={styles.form}
              noValidate
              onFocus={onFocus}
              onBlur={onBlur}
              onSubmit={(event: SubmitEvent) => {
                event.preventDefault();
                submit();
              }}
            >
              <ConfigFields editing={editing} savedBy={config.updatedBy} present={present} readOnly={!mayWrite} />
              {!mayWrite && (
                <Text className={styles.foot} c="dimmed">
                  {t('readOnly', { permission: 'configs:write' })}
                </Text>
              )}
              {mayWrite && !gone && (
                <div className={styles.foot}>
                  <span className={styles.writes}>
                    {mine instanceof FormError
                      ? t('fixFirst')
                      : isEdited
                        ? t('writes', { next, version: shownVersion })
                        : t(draft.isDirty ? 'onlyLayout' : 'unchanged')}
                  </span>
                  <Button disabled={!draft.isDirty || save.isPending} onClick={() => void discard()}>
                    {t('discard')}
                  </Button>
                  <Button type="submit" variant="filled" disabled={!isEdited || mine instanceof FormError} loading={save.isPending} title={t('saveHint')}>
                    {t('save', { version: next })}
                  </Button>
                </div>
              )}
            </Paper>
          </>
        )}
      </Stack>
      <HistoryPanel configKey={config.key} baseVersion={draft.base.version} />
    </div>
  );
}
