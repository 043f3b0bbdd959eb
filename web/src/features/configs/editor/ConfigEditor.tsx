import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useText } from '@/i18n';
import { RecordForm, type Editing, type Present } from '@/ui';
import { Recent } from '../history/Recent';
import { saveConfig, type Config } from '../queries';
import { ConfigFields, isConfigInput } from './ConfigFields';
import styles from './Editor.module.css';
import type { ConfigForm } from './form';
import { editorMessages } from './messages';
import { TakeOver } from './TakeOver';

interface Props {
  editing: Editing<Config, ConfigForm>;
  /** Replaces the form's buttons if the config was deleted. */
  gone: ReactNode;
  mayWrite: boolean;
  /** The programs that own the changed fields, and the reason for changing these. */
  programs: readonly string[];
  takeOver: string;
  onTakeOver: (reason: string) => void;
  present: readonly Present[];
  /** The field with the focus. */
  onField: (field: string | undefined) => void;
}

/** The form of a config, or both sides of its conflict, next to the latest versions. */
export function ConfigEditor({ editing, gone, mayWrite, programs, takeOver, onTakeOver, present, onField }: Props) {
  const t = useText(editorMessages);
  const { current, draft } = editing;
  const { key } = current;
  return (
    <div className={styles.columns}>
      <div className={styles.main}>
        <RecordForm
          editing={editing}
          deletedNotice={gone}
          missingPermission={mayWrite ? undefined : 'configs:write'}
          hasInput={isConfigInput}
          label={t('form', { key })}
          framed
          schedule={(change, etag, at, sentAs) =>
            saveConfig(key, change, etag, sentAs, { effectiveTime: at, takeOver: programs.length > 0 ? takeOver : undefined })
          }
          withOther
          link={(from, to, labels) => (
            <Link to="/configs/$key" params={{ key }} search={{ tab: 'history', from, to }}>
              {labels}
            </Link>
          )}
          onField={onField}
        >
          <ConfigFields editing={editing} present={present} readOnly={!mayWrite} />
          <TakeOver programs={programs} reason={takeOver} onChange={onTakeOver} />
        </RecordForm>
      </div>
      <Recent configKey={key} baseVersion={draft.base.version} />
    </div>
  );
}
