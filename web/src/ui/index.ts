export { ActBar } from './acts/ActBar';
export { ActButton } from './acts/ActButton';
export { stepKeys } from './acts/stepKeys';
export { useBulkActions } from './bulk/useBulkActions';
export type { BulkAction, InputProps, RowValues, Watched } from './bulk/action';
export { inParallel } from './bulk/parallel';
export type { Item, Result } from './bulk/run';
export { Difference } from './edit/Difference';
export { FormDialog } from './edit/FormDialog';
export { NeedsNotice, RecordForm, useRecordForm } from './edit/RecordForm';
export { type Editing } from './edit/useEditing';
export { useFaults } from './edit/useFaults';
export { useKeyedForm } from './edit/useKeyedForm';
export { useKeyedMutation } from './edit/useKeyedMutation';
export { useKeyedAction } from './edit/useKeyedAction';
export { useSlot, useSteps } from './edit/slot';
export { useStepForm } from './edit/useStepForm';
export { useOtherUsersIn } from './edit/useOtherUsersIn';
export type { Present } from './edit/usePresence';
export {
  contentOfFields,
  fieldsOf,
  isKeyPath,
  useNameLists as useNameLists,
  labelsOf as labelsOf,
  type FieldTexts,
  type Labels as Labels,
} from './edit/labels';
export { OutcomeNotice } from './edit/WriteNotices';
export { Banner } from './feedback/Banner';
export { useConfirm, type Question } from './feedback/confirm';
export { LostRace } from './feedback/Lost';
export { ChangedSinceOpen } from './feedback/Moved';
export { ProblemBanner } from './feedback/ProblemBanner';
export { Proposed } from './feedback/Proposed';
export { useFieldErrorText as useFieldErrorText, useProblemText, useRuleText } from './feedback/problemText';
export { useToasts } from './feedback/toasts';
export { CopyButton, CopyText, useCopy } from './CopyText';
export { CustomerLink } from './CustomerLink';
export { EtagVersion } from './EtagVersion';
export { Icon } from './Icon';
export { Money } from './Money';
export { useNow } from './now';
export { Avatar, Person, useActorName } from './Person';
export { Changed } from './record/Changed';
export { Comments } from './record/Comments';
export { Facts } from './record/Facts';
export { DeletedRecord as DeletedRecord } from './record/DeletedRecord';
export { changesOf, History, revisionsOf } from './record/History';
export { StoredDraft as StoredDraft } from './record/StoredDraft';
export { PageHeader } from './record/PageHeader';
export { PeopleHere } from './record/People';
export { RecordPage } from './record/RecordPage';
export { RecordDrawer } from './record/RecordDrawer';
export { Section } from './record/Section';
export { StatusMove } from './record/StatusMove';
export { Dialog, SideDrawer } from './Dialog';
export { pathOf, RecordLink } from './RecordLink';
export { StatusChip } from './StatusChip';
export { When } from './When';
