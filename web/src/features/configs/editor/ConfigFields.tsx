import { Button, NativeSelect, Switch, Text, Textarea } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useId, useRef } from 'react';
import { isProblem, useMay, type FieldProblem } from '@/api';
import { useText } from '@/i18n';
import { Icon, useRuleText, type Editing, type Present } from '@/ui';
import { CodeEditor, type Fault } from '@/ui/code/Code';
import { jsonFault } from '../create/draft';
import { useFaultText } from '../create/useFaultText';
import { configMessages } from '../messages';
import { programOf } from '../owners';
import { valueTypes, type Config, type ValueType } from '../queries';
import { Field, type FieldState } from './Field';
import { FormError, respelled, type ConfigForm } from './form';
import { editorMessages } from './messages';
import { SecretValue } from './SecretValue';
import { ValueInput } from './ValueInput';

interface Props {
  editing: Editing<Config, ConfigForm>;
  present: readonly Present[];
  readOnly: boolean;
}

type Name = keyof ConfigForm;

const maxRemarkLength = 500;

/** Whether this form has an input for a JSON Pointer of the request, or for one of its ancestors. */
export const isConfigInput = (pointer: string): boolean => /^\/(value|valueType|remark|schema|protected|secret)(\/|$)/.test(pointer);

export function ConfigFields({ editing, present, readOnly }: Props) {
  const t = useText(editorMessages);
  const configs = useText(configMessages);
  const id = useId();
  const { draft, changes, change, labels, current } = editing;
  const form = draft.value;
  const faults = useFaults(editing);
  const [withSchema, { open: showSchema }] = useDisclosure(false);
  const changeType = useTypeChange(form, change);
  const mayUncover = useMay()('configs:secrets') || !draft.base.value.secret;

  const state = (name: Name): FieldState => {
    const pointer = `/${name}`;
    const inside = changes?.filter((one) => one.pointer === pointer || one.pointer.startsWith(`${pointer}/`)) ?? [];
    return {
      name,
      label: labels.field(pointer),
      changes: inside,
      isChanged: changes === undefined ? form[name] !== draft.base.value[name] : inside.length > 0,
      followed: draft.followed.includes(pointer) ? current.updatedBy : undefined,
      owner: programOf(current, name),
      here: present.filter(({ field }) => field === name).map(({ person }) => person),
      undo: readOnly ? undefined : () => change({ [name]: draft.base.value[name], ...(name === 'value' && { masked: draft.base.value.masked }) }),
    };
  };
  const first = (name: Name) => faults(name)[0]?.message;
  const schemaShown = withSchema || form.schema !== '' || draft.base.value.schema !== '';
  return (
    <>
      <Field state={state('value')} inputId={form.valueType === 'json' ? undefined : `${id}value`}>
        <SecretValue editing={editing} readOnly={readOnly}>
          <ValueInput id={`${id}value`} form={form} readOnly={readOnly} faults={faults('value')} onChange={(value) => change({ value })} />
        </SecretValue>
      </Field>
      <Field state={state('valueType')} inputId={`${id}type`}>
        <NativeSelect
          id={`${id}type`}
          maw={220}
          disabled={readOnly || form.masked !== ''}
          data={valueTypes.map((type) => ({ value: type, label: configs(`type_${type}`) }))}
          value={form.valueType}
          error={first('valueType')}
          onChange={(event) => changeType(event.currentTarget.value as ValueType)}
        />
      </Field>
      <Field state={state('remark')} inputId={`${id}remark`}>
        <Textarea
          id={`${id}remark`}
          autosize
          maxLength={maxRemarkLength}
          readOnly={readOnly}
          value={form.remark}
          error={first('remark')}
          onChange={(event) => change({ remark: event.currentTarget.value })}
        />
      </Field>
      <Field state={state('protected')}>
        <Switch
          label={configs('protectedHint')}
          aria-label={configs('protected')}
          disabled={readOnly}
          checked={form.protected}
          error={first('protected')}
          onChange={(event) => change({ protected: event.currentTarget.checked })}
        />
      </Field>
      <Field state={state('secret')}>
        <Switch
          label={configs(mayUncover ? 'secretHint' : 'secretKept')}
          aria-label={configs('secret')}
          description={(form.secret || draft.base.value.secret) && !readOnly && configs('noDraft')}
          disabled={readOnly || !mayUncover}
          checked={form.secret}
          error={first('secret')}
          onChange={(event) => change({ secret: event.currentTarget.checked })}
        />
      </Field>
      {schemaShown ? (
        <Field state={state('schema')}>
          <CodeEditor
            label={configs('schema')}
            language="json"
            value={form.schema}
            readOnly={readOnly || form.masked !== ''}
            faults={faults('schema')}
            onChange={(schema) => change({ schema })}
          />
          <Text size="sm" c="dimmed" mt={6}>
            {t('schemaHint')}
          </Text>
        </Field>
      ) : (
        !readOnly &&
        form.masked === '' && (
          <Button m="md" variant="subtle" leftSection={<Icon name="plus" />} onClick={showSchema}>
            {t('showSchema')}
          </Button>
        )
      )}
    </>
  );
}

/** Returns a function that changes the type. A boolean has no text, so a change from boolean restores the last text of the new type. */
function useTypeChange(form: ConfigForm, change: (part: Partial<ConfigForm>) => void): (to: ValueType) => void {
  const texts = useRef<Partial<Record<ValueType, string>>>({});
  return (to) => {
    const { valueType: from, value } = form;
    texts.current[from] = value;
    // Boolean hides the text, so that text is restored. A visible text is converted to the new type.
    const hidden = from === 'boolean' ? texts.current[to] : undefined;
    change({ valueType: to, value: hidden ?? respelled(value, from, to) });
  };
}

/** The faults of each field: invalid input, and errors that the service reported for the current input. */
function useFaults({ mine, error, draft }: Editing<Config, ConfigForm>): (name: Name) => Fault[] {
  const faultText = useFaultText();
  const ruleText = useRuleText();
  const rejected: readonly FieldProblem[] = isProblem(error, 'validation_failed', 'malformed_request') ? error.fields : [];
  return (name) => {
    const pointer = `/${name}`;
    const faults: Fault[] = rejected
      .filter((field) => field.pointer === pointer || field.pointer.startsWith(`${pointer}/`))
      .map((field) => ({ pointer: field.pointer.slice(pointer.length), message: ruleText(field) }));
    if (mine instanceof FormError && mine.field === name) {
      const { syntax } = mine;
      const { valueType } = draft.value;
      if (name === 'value' && (valueType === 'number' || valueType === 'boolean')) faults.push({ pointer: '', message: faultText({ kind: valueType }) });
      else if (syntax !== undefined) faults.push({ offset: syntax.offset, message: faultText(jsonFault(draft.value[mine.field], syntax.offset)) });
    }
    return faults;
  };
}
