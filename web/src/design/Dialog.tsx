import "./surfaces.css";
import type { ReactNode } from "react";
import { Dialog as Spoken, Heading, Modal, ModalOverlay } from "react-aria-components";
import { Button } from "./Button.tsx";
import { Icon } from "./Icon.tsx";

/** A window above the page. Escape and a press outside close it, unless it must be answered. */
export function Dialog({
  open,
  onClose,
  heading,
  children,
  ends,
  wide,
  whole,
  must,
}: {
  open: boolean;
  onClose: () => void;
  heading: string;
  children: ReactNode;
  ends?: ReactNode;
  wide?: boolean;
  /** Whether it fills the screen. */
  whole?: boolean;
  must?: boolean;
}) {
  return (
    <ModalOverlay
      className="veil"
      isOpen={open}
      onOpenChange={(now) => !now && onClose()}
      isDismissable={!must}
      isKeyboardDismissDisabled={!!must}
    >
      <Modal className={`dialog ${wide ? "wide" : ""} ${whole ? "whole" : ""}`}>
        <Spoken>
          <div className="row spread" style={{ flexWrap: "nowrap", alignItems: "flex-start" }}>
            <Heading slot="title" level={2}>
              {heading}
            </Heading>
            {!must && (
              <Button look="quiet" className="close" onPress={onClose} aria-label="Close">
                <Icon name="cross" />
              </Button>
            )}
          </div>
          {children}
          {ends && <div className="ends">{ends}</div>}
        </Spoken>
      </Modal>
    </ModalOverlay>
  );
}
