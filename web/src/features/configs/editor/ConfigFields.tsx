import { Button, NativeSelect, Text, Textarea } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useId, useRef } from 'react';
import { isProblem, type FieldProblem, type PersonName } from '@/api';
import { useText } from '@/i18n';
import { Icon, useRuleText, type Present } from '@/ui';
import { CodeEditor, type Fault } from '../code/Code';
import type { ValueType } from '../queries';
import { Field, type FieldState } from './Field';
import { FormError, respelled, valueTypes, type ConfigForm } from './form';
import { editorMessages } from './messages';
import type { Editing } from './useConfigEditing';
import { ValueInput } from './ValueInput';
import { useWords } from './words';

interface Props {
  editing: Editing;
  /** Who saved the version that the form shows. */
  savedBy: PersonName;
  present: readonly Present[];
  readOnly: boolean;
}

type Name = keyof Omit<ConfigForm, 'choices'>;

const longestRemark = 500;

/** The inputs of a config. */
export function ConfigFields({ editing, savedBy, present, readOnly }: Props) {
  const t = useText(editorMessages);
  const { place } = useWords();
  const id = useId();
  const { draft, changes, mine } = editing;
  const form = draft.value;
  const faults = useFaults(editing);
  const [withSchema, { open: showSchema }] = useDisclosure(false);
  const set = (change: Partial<ConfigForm>) => draft.setValue((before) => ({ ...before, ...change }));
  const changeType = useTypeChange(form, set);

  const state = (name: Name): FieldState => {
    const pointer = `/${name}`;
    const inside = changes?.filter((change) => change.pointer === pointer || change.pointer.startsWith(`${pointer}/`)) ?? [];
    return {
      name,
      label: place(pointer),
      changes: inside,
      isChanged: changes === undefined ? form[name] !== draft.base.value[name] : inside.length > 0,
      followed: draft.followed.includes(pointer) ? savedBy : undefined,
      here: present.filter(({ field }) => field === name).map(({ person }) => person),
      undo: readOnly ? undefined : () => set({ [name]: draft.base.value[name] }),
    };
  };
  const first = (name: Name) => faults(name)[0]?.message;
  const schemaShown = withSchema || form.schema !== '' || draft.base.value.schema !== '';
  return (
    <>
      <Field state={state('value')} inputId={form.valueType === 'json' ? undefined : `${id}value`}>
        <ValueInput id={`${id}value`} form={form} readOnly={readOnly} faults={faults('value')} onChange={(value) => set({ value })} />
      </Field>
      <Field state={state('valueType')} inputId={`${id}type`}>
        <NativeSelect
          id={`${id}type`}
          maw={220}
          disabled={readOnly}
          data={[...valueTypes]}
          value={form.valueType}
          error={first('valueType')}
          onChange={(event) => changeType(event.currentTarget.value as ValueType)}
        />
      </Field>
      <Field state={state('remark')} inputId={`${id}remark`}>
        <Textarea
          id={`${id}remark`}
          autosize
          maxLength={longestRemark}
          readOnly={readOnly}
          value={form.remark}
          error={first('remark')}
          onChange={(event) => set({ remark: event.currentTarget.value })}
        />
      </Field>
      {schemaShown ? (
        <Field state={state('schema')}>
          <CodeEditor
            label={t('schema')}
            language="json"
            value={form.schema}
            readOnly={readOnly}
            faults={faults('schema')}
            onChange={(schema) => set({ schema })}
          />
          <Text size="sm" c="dimmed" mt={6}>
            {t('schemaHint')}
          </Text>
        </Field>
      ) : (
        !readOnly && (
          <Button m="md" variant="subtle" leftSection={<Icon name="plus" />} onClick={showSchema}>
            {t('showSchema')}
          </Button>
        )
      )}
      {mine instanceof FormError && (
        <p className="unseen" role="status">
          {t('fixFirst')}
        </p>
      )}
    </>
  );
}

/** Changes the type, and gives back what was typed under the type before when that is chosen again. */
function useTypeChange(form: ConfigForm, set: (change: Partial<ConfigForm>) => void): (to: ValueType) => void {
  const texts = useRef<Partial<Record<ValueType, string>>>({});
  return (to) => {
    const { valueType: from, value } = form;
    texts.current[from] = value;
    // A text that a switch hid comes back; one that was seen and changed does not.
    const hidden = from === 'boolean' ? texts.current[to] : undefined;
    set({ valueType: to, value: hidden ?? respelled(value, from, to) });
  };
}

/** What is wrong with each field: what cannot be read, and what the service refused about what is typed now. */
function useFaults({ mine, save, isRefusalCurrent, draft }: Editing): (name: Name) => Fault[] {
  const t = useText(editorMessages);
  const ruleText = useRuleText();
  const refused: readonly FieldProblem[] = isRefusalCurrent && isProblem(save.error, 'validation_failed', 'malformed_request') ? save.error.fields : [];
  return (name) => {
    const pointer = `/${name}`;
    const faults: Fault[] = refused
      .filter((field) => field.pointer === pointer || field.pointer.startsWith(`${pointer}/`))
      .map((field) => ({ pointer: field.pointer.slice(pointer.length), message: ruleText(field) }));
    if (mine instanceof FormError && mine.field === name) {
      const { syntax } = mine;
      faults.push(
        syntax !== undefined && (draft.value.valueType === 'json' || name === 'schema')
          ? { offset: syntax.offset, message: syntax.message }
          : { pointer: '', message: t('notType', { type: draft.value.valueType }) },
      );
    }
    return faults;
  };
}
